/**
 * The spool of one machine, on lmdb: a log of raw request bodies, the plan of the batch in hand, the memory of decisions
 * and of once-keys, in one environment, so that each step is one transaction.
 *
 * It holds raw bytes until they are decided, so its folder and files are its user's alone. It belongs to one process at
 * a time; who owns the data folder sees to that. Invariant: what `append` has answered survives the death of the process.
 */
import { randomUUID } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { type Database, open, type RootDatabase } from 'lmdb'
import { invariant } from '../core/errors.ts'
import type { DiskRoom, Spool, SpoolEntry } from '../core/ports.ts'
import { type DecisionBatch, type RememberedDecision, remembered } from '../core/sampling/decision.ts'

/** kind, then the time of arrival as a double; the body follows. */
const HEADER_BYTES = 9
const KINDS = ['otlp', 'feedback'] as const

/** What `forget` takes at once, so that it never holds up an append for long. */
const FORGOTTEN_MAX = 20_000

type AgingKey = [of: 'decision' | 'once', at: number, key: string]
type StoredDecision = [
  keep: boolean,
  policy: string,
  rule: string,
  sampler: RememberedDecision['sampler'],
  stratum: string,
  windowStart: string,
  decidedAt: number,
  through: number,
]

type Stores = {
  readonly root: RootDatabase
  readonly entries: Database<Buffer, number>
  readonly decisions: Database<StoredDecision, string>
  readonly once: Database<number, string>
  /** Decisions and once-keys by age. */
  readonly aging: Database<boolean, AgingKey>
  readonly meta: Database<unknown, 'id' | 'batch' | 'plan' | 'seq'>
}

/** Opens or creates the spool in a folder of its own. */
export async function openSpool(folder: string, room: DiskRoom = () => undefined): Promise<Spool> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  const root = open({ path: folder, maxDbs: 8 })
  for (const file of ['data.mdb', 'lock.mdb']) await chmod(path.join(folder, file), 0o600)
  const stores: Stores = {
    root,
    entries: root.openDB({ name: 'entries', encoding: 'binary' }),
    decisions: root.openDB({ name: 'decisions', encoding: 'msgpack' }),
    once: root.openDB({ name: 'once', encoding: 'msgpack' }),
    aging: root.openDB({ name: 'aging', encoding: 'msgpack' }),
    meta: root.openDB({ name: 'meta', encoding: 'json' }),
  }
  if (stores.meta.get('id') === undefined) stores.meta.putSync('id', randomUUID())
  return { ...makeLog(stores, room), ...makeDecisions(stores), ...makeMemory(stores), close: () => root.close() }
}

type LogPart = 'id' | 'append' | 'read' | 'after' | 'waiting' | 'settle' | 'remove'

function makeLog(stores: Stores, room: DiskRoom): Pick<Spool, LogPart> {
  const { entries, once, aging, meta, root } = stores
  const sizes = new Map<number, number>()
  let bytes = 0
  for (const seq of entries.getKeys()) count(seq, entries.getBinaryFast(seq)?.length ?? HEADER_BYTES)
  const lastKept = [...entries.getKeys({ reverse: true, limit: 1 })][0] ?? 0
  let last = Math.max(lastKept, Number(meta.get('seq') ?? 0))

  function count(seq: number, length: number): void {
    sizes.set(seq, length - HEADER_BYTES)
    bytes += length - HEADER_BYTES
  }

  function uncount(seq: number): void {
    bytes -= sizes.get(seq) ?? 0
    sizes.delete(seq)
  }

  const take = (seqs: readonly number[]): void => {
    for (const seq of seqs) entries.remove(seq)
    // The highest number ever given must outlive its entry: a new entry may not take it again.
    meta.put('seq', last)
  }

  const read = (seq: number): SpoolEntry | undefined => {
    const value = entries.getBinary(seq)
    return value === undefined ? undefined : unpacked(seq, value)
  }

  return {
    id: String(meta.get('id')),
    read,
    async append(entry, onceKey) {
      room()
      const seq = ++last
      const value = packed(entry)
      const isNew = await (onceKey === undefined
        ? entries.put(seq, value)
        : once.ifNoExists(onceKey, () => {
            once.put(onceKey, entry.arrivedAt)
            aging.put(['once', entry.arrivedAt, onceKey], true)
            entries.put(seq, value)
          }))
      if (isNew) count(seq, value.length)
      await root.flushed
      return isNew ? { duplicate: false, seq } : { duplicate: true }
    },
    after(seq, entriesMax, bytesMax) {
      const found: SpoolEntry[] = []
      let taken = 0
      for (const key of entries.getKeys({ start: seq + 1, limit: entriesMax })) {
        const entry = read(key)
        if (entry === undefined || (found.length > 0 && taken + entry.body.length > bytesMax)) break
        taken += entry.body.length
        found.push(entry)
      }
      return found
    },
    waiting: () => ({ entries: sizes.size, bytes }),
    async settle(batch, done) {
      await root.transaction(() => {
        rememberBatch(stores, batch)
        take(done)
        meta.remove('plan')
      })
      for (const seq of done) uncount(seq)
      await root.flushed
    },
    async remove(seqs) {
      await root.transaction(() => take(seqs))
      for (const seq of seqs) uncount(seq)
      await root.flushed
    },
  }
}

function rememberBatch({ decisions, aging }: Stores, batch: DecisionBatch): void {
  for (const { decision } of batch.decisions) {
    decisions.put(decision.traceId, stored(remembered(decision, batch.through)))
    aging.put(['decision', decision.decidedAt, decision.traceId], true)
  }
  for (const late of batch.late) decisions.put(late.traceId, stored({ ...late.decision, through: batch.through }))
}

function makeDecisions({ root, meta }: Stores): Pick<Spool, 'plan' | 'planned'> {
  return {
    async plan(work) {
      invariant(meta.get('plan') === undefined, 'a batch is settled before the next one is planned')
      const batch: DecisionBatch = { ...work, batch: Number(meta.get('batch') ?? 0) + 1 }
      await root.transaction(() => {
        meta.put('batch', batch.batch)
        meta.put('plan', batch)
      })
      await root.flushed
      return batch
    },
    planned: () => meta.get('plan') as DecisionBatch | undefined,
  }
}

function makeMemory({ root, decisions, once, aging }: Stores): Pick<Spool, 'decision' | 'forget'> {
  const aged = (of: AgingKey[0], before: number): readonly AgingKey[] => [
    ...aging.getKeys({ start: [of, 0, ''], end: [of, before, ''], limit: FORGOTTEN_MAX }),
  ]
  return {
    decision(traceId) {
      const found = decisions.get(traceId)
      return found === undefined ? undefined : restored(found)
    },
    async forget(before) {
      await root.transaction(() => {
        for (const key of aged('decision', before.decisions)) {
          aging.remove(key)
          // A trace that was decided again since keeps its newer decision.
          if (decisions.get(key[2])?.[6] === key[1]) decisions.remove(key[2])
        }
        for (const key of aged('once', before.onceKeys)) {
          aging.remove(key)
          once.remove(key[2])
        }
      })
      await root.flushed
    },
  }
}

function packed(entry: Omit<SpoolEntry, 'seq'>): Buffer {
  const value = Buffer.allocUnsafe(HEADER_BYTES + entry.body.length)
  value.writeUInt8(KINDS.indexOf(entry.kind), 0)
  value.writeDoubleLE(entry.arrivedAt, 1)
  value.set(entry.body, HEADER_BYTES)
  return value
}

function unpacked(seq: number, value: Buffer): SpoolEntry {
  const kind = KINDS[value.readUInt8(0)]
  invariant(kind !== undefined, `spool entry ${seq} is of a kind that this version knows`)
  return { seq, kind, arrivedAt: value.readDoubleLE(1), body: value.subarray(HEADER_BYTES) }
}

function stored(d: RememberedDecision): StoredDecision {
  return [d.keep, d.policy, d.rule, d.sampler, d.stratum, d.windowStart, d.decidedAt, d.through]
}

function restored(value: StoredDecision): RememberedDecision {
  const [keep, policy, rule, sampler, stratum, windowStart, decidedAt, through] = value
  return { keep, policy, rule, sampler, stratum, windowStart, decidedAt, through }
}
