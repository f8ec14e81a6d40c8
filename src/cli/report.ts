/**
 * `assay report`: freeze a report of stored replays now, list the reports, or show one.
 */
import { writeFile } from 'node:fs/promises'
import { InputError } from '../core/errors.ts'
import { type Client, connect } from './client.ts'
import { type Command, type Flags, type Io, listFlag, textFlag } from './command.ts'
import { runSchedule } from './schedule.ts'

const FORMATS = { text: '.txt', markdown: '.md', html: '.html', json: '' } as const

export const report: Command = {
  name: 'report',
  summary: 'Freeze a report of stored replays, list the reports, or show one',
  usage: '[list] | show ID [--format text] | --replay NAME [--replay NAME] | --schedule NAME',
  help: `
  list                 all reports, newest first (the default)
  show ID              one report; ID may be "latest"
  --replay NAME        freeze a report of this replay, or of two (before, then after) with their comparison
  --schedule NAME      run a schedule now: draw, replay, report and publish the time since its last slot
  --title TEXT         its title
  --format FORMAT      text (default), markdown, html or json
  --out FILE           write it here instead of on standard output
  --json               the same as --format json
`,
  flags: {
    replay: { type: 'string', multiple: true },
    schedule: { type: 'string' },
    title: { type: 'string' },
    format: { type: 'string' },
    out: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run(flags, words, io) {
    const format = formatOf(flags)
    const [what = 'list', id, extra] = words
    if (extra !== undefined || (what !== 'list' && what !== 'show') || (what === 'show') !== (id !== undefined)) {
      throw new InputError('wrong_use', 'expected: list, show ID, or --replay NAME', 'assay report')
    }
    const client = await connect(flags, io)
    try {
      const replays = listFlag(flags, 'replay')
      const schedule = textFlag(flags, 'schedule')
      if (schedule !== undefined) await show(client, await runSchedule(client, schedule, io), format, flags, io)
      else if (replays.length > 0) {
        const title = textFlag(flags, 'title')
        const made = await client.post<{ id: string }>('/api/v1/reports', {
          replays,
          ...(title === undefined ? {} : { title }),
        })
        await show(client, made.id, format, flags, io)
      } else if (what === 'show') await show(client, id ?? '', format, flags, io)
      else await list(client, flags, io)
    } finally {
      await client.close()
    }
    return 0
  },
}

function formatOf(flags: Flags): keyof typeof FORMATS {
  const name = flags.json === true ? 'json' : (textFlag(flags, 'format') ?? 'text')
  if (!(name in FORMATS))
    throw new InputError(
      'wrong_use',
      `${JSON.stringify(name)} is not known, expected text, markdown, html or json`,
      '--format',
    )
  return name as keyof typeof FORMATS
}

async function show(client: Client, id: string, format: keyof typeof FORMATS, flags: Flags, io: Io): Promise<void> {
  const body = await client.text(`/api/v1/reports/${encodeURIComponent(id)}${FORMATS[format]}`)
  const out = textFlag(flags, 'out')
  if (out === undefined) return io.out(body.endsWith('\n') ? body : `${body}\n`)
  await writeFile(out, body)
  io.out(`Wrote ${out}\n`)
}

type ReportLine = { readonly id: string; readonly title: string; readonly createdAt: string; readonly late: boolean }

async function list(client: Client, flags: Flags, io: Io): Promise<void> {
  const { reports } = await client.get<{ reports: readonly ReportLine[] }>('/api/v1/reports')
  if (flags.json === true) return io.out(`${JSON.stringify(reports, null, 2)}\n`)
  if (reports.length === 0) io.out('No reports yet. Make one with: assay report --replay NAME\n')
  for (const line of reports) io.out(`${line.id}  ${line.createdAt}  ${line.title}${line.late ? '  (late)' : ''}\n`)
}
