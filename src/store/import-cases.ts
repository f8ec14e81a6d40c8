/**
 * Cases written by people or exported elsewhere, a line of JSON each: `{ "id"?, "input", "system"?, "reference"? }`.
 *
 * All or nothing. A case is never changed, since trials speak of it as it was: the same id with the same content is left as
 * it is, with other content it is refused. A case that trials were imported for, and that nobody has described yet, is
 * filled in.
 */
import { InputError } from '../core/errors.ts'
import { canonicalJson, fingerprintOf } from '../core/replay/fingerprint.ts'
import { type ImportedCase, parseCaseLine } from '../core/replay/import-line.ts'
import { storable, storableText } from '../core/replay/storable.ts'
import { batchesOf } from './import-trials.ts'
import { type Db, json, type Row, type Tx } from './schema.ts'

export type CaseImport = {
  readonly suite: string
  readonly lines: AsyncIterable<string>
  readonly redact: { value<T>(value: T): T }
  readonly now: Date
}

export type ImportedCases = { readonly caseIds: readonly string[] }

type Numbered = { readonly line: number; readonly value: ImportedCase }

/** Throws InputError with the line's number; then nothing was stored. */
export async function importCases(db: Db, given: CaseImport): Promise<ImportedCases> {
  return db.transaction().execute(async (tx) => {
    const lineOf = new Map<string, number>()
    const parse = (text: string, line: number) => cleaned(parseCaseLine(text, line, given.suite), given)
    for await (const batch of batchesOf(given.lines, parse)) {
      for (const { line, value } of batch) {
        const first = lineOf.get(value.id)
        if (first !== undefined) throw refused(line, value.id, `stands on line ${first} already`)
        lineOf.set(value.id, line)
      }
      await insertBatch(tx, batch, given)
    }
    if (lineOf.size === 0) throw new InputError('no_cases', 'the file holds no case, expected one JSON object a line')
    return { caseIds: [...lineOf.keys()] }
  })
}

function cleaned(value: ImportedCase, { redact }: CaseImport): ImportedCase {
  const input = redact.value(storable(value.input))
  const reference = redact.value(storable(value.reference))
  return { id: storableText(value.id), input, reference, fingerprint: fingerprintOf(input) }
}

async function insertBatch(tx: Tx, batch: readonly Numbered[], { suite, now }: CaseImport): Promise<void> {
  const rows = await tx
    .selectFrom('cases')
    .selectAll()
    .where(
      'id',
      'in',
      batch.map(({ value }) => value.id),
    )
    .execute()
  const existing = new Map(rows.map((row) => [row.id, row]))
  const fresh = batch.filter(({ value }) => !existing.has(value.id))
  if (fresh.length > 0) {
    await tx
      .insertInto('cases')
      .values(
        fresh.map(({ value }) => ({
          id: value.id,
          suite,
          origin: 'import' as const,
          stratum: 'all',
          input: json(value.input),
          reference: value.reference === null ? null : json(value.reference),
          fingerprint: value.fingerprint,
          created_at: now,
        })),
      )
      .execute()
  }
  for (const { line, value } of batch) {
    const row = existing.get(value.id)
    if (row !== undefined) await reconcile(tx, row, { line, value }, suite)
  }
}

async function reconcile(tx: Tx, row: Row<'cases'>, { line, value }: Numbered, suite: string): Promise<void> {
  if (row.origin === 'import' && row.input.userInput === null) {
    const reference = value.reference === null ? null : json(value.reference)
    const content = { suite, input: json(value.input), reference, fingerprint: value.fingerprint }
    await tx.updateTable('cases').set(content).where('id', '=', value.id).execute()
    return
  }
  if (row.suite !== suite) throw refused(line, value.id, `belongs to suite ${JSON.stringify(row.suite)}`)
  const same = canonicalJson([row.input, row.reference]) === canonicalJson([value.input, value.reference])
  if (!same) throw refused(line, value.id, 'exists with another input or reference: give it a new id')
}

function refused(line: number, id: string, why: string): InputError {
  return new InputError('case_exists', `line ${line}: case ${JSON.stringify(id)} ${why}`, `line ${line}`)
}
