/**
 * What the demo shows at its end: census, reliability, comparison, failure modes, and where the report is.
 */
import path from 'node:path'
import type { Config } from '../config.ts'
import { textTable } from '../core/reporting/render-text.ts'
import type { Report } from '../core/reporting/report.ts'
import type { Client } from './client.ts'
import type { Io } from './command.ts'
import { comparisonText, reliabilityText } from './table.ts'

type Census = {
  readonly rows: readonly (Counts & { readonly rule: string; readonly sampler: string })[]
  readonly total: Counts
}
type Counts = { readonly received: number; readonly kept: number; readonly dropped: number; readonly shed: number }

type Shown = { readonly reportId: string; readonly from: Date; readonly config: Config }

export async function printDemo(client: Client, io: Io, { reportId, from, config }: Shown): Promise<void> {
  const report = JSON.parse(await client.text(`/api/v1/reports/${reportId}`)) as Report
  const query = new URLSearchParams({ from: hourOf(from).toISOString(), to: io.clock.now().toISOString() })
  io.out(heading('Census: what arrived, what was kept'))
  io.out(censusText(await client.get<Census>(`/api/v1/census?${query}`)))
  for (const replay of report.replays) {
    io.out(heading(`Reliability: ${replay.target} ${replay.version}`))
    io.out(reliabilityText(replay))
  }
  if (report.comparison !== null) io.out(heading('Comparison') + comparisonText(report.comparison))
  io.out(heading('Failure modes, as proposed by the machine; accept, rename, merge or dismiss them in the browser'))
  io.out(`${textTable([modeHead(report), ...modeRows(report)])}\n`)
  io.out(heading('The report'))
  for (const channel of config.channels) {
    if (channel.kind === 'file') io.out(`  files       ${path.resolve(config.dataFolder, channel.folder)}\n`)
  }
  io.out(`  in the browser   npm start, then http://127.0.0.1:${config.server.port}/reports/${reportId}\n`)
}

function heading(text: string): string {
  return `\n${text}\n${'─'.repeat(text.length)}\n`
}

function censusText({ rows, total }: Census): string {
  const line = (name: string, sampler: string, c: Counts) =>
    [name, sampler, c.received, c.kept, c.dropped, c.shed].map(String)
  const body = rows.map((row) => line(row.rule, row.sampler, row))
  const head = ['rule', 'sampler', 'received', 'kept', 'dropped', 'shed']
  return `${textTable([head, ...body, line('all', '', total)])}\n`
}

function modeHead({ replays }: Report): string[] {
  return [...replays.map(({ version }) => version), 'kept traces', 'cases', 'category', 'failure mode']
}

function modeRows({ failureModes }: Report): string[][] {
  return failureModes.map(({ perReplay, production, cases, category, name }) => [
    ...[...perReplay, production, cases].map(String),
    category ?? '',
    name,
  ])
}

/** Windows of the census are whole hours. */
function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000)
}
