/**
 * What the statistics cost: a full report over a million trials, and a comparison of two versions on ten thousand cases
 * with ten thousand sign flips. Each is measured in a process of its own, three times; the median counts.
 *
 * `npm run bench:statistics` prints a table, with a plain loop over the same trials as the machine's own scale, and last a
 * line of JSON. It fails (1) where a limit is broken. `--coverage` prints the table of docs/statistics.md instead.
 */
import { execFileSync } from 'node:child_process'
import { assembleReport, freeze, type ReplayEvidence } from '../src/core/reporting/assemble.ts'
import type { CaseTrials } from '../src/core/reporting/case-row.ts'
import { digestOf } from '../src/core/reporting/digest.ts'
import type { Report } from '../src/core/reporting/report.ts'
import { seededRandom } from '../src/core/statistics/random.ts'
import { coverageTable } from '../test/core/statistics/coverage.ts'
import { POPULATIONS } from '../test/core/statistics/populations.ts'

const ROUNDS = 3
const COVERAGE_REPS = 4000
const MIB = 1024 * 1024

type Size = {
  readonly name: string
  readonly cases: number
  readonly trials: number
  readonly versions: 1 | 2
  /** Of the figures; of the forms too where the whole report is meant. */
  readonly secondsMax: number
  readonly withForms: boolean
  readonly mebibytesMax: number | null
}

const SIZES = [
  { name: 'report', cases: 2000, trials: 500, versions: 1, secondsMax: 2, withForms: true, mebibytesMax: 300 },
  { name: 'comparison', cases: 10_000, trials: 5, versions: 2, secondsMax: 1, withForms: false, mebibytesMax: null },
] as const satisfies readonly Size[]

type Measured = {
  /** From trials to every figure of the report. */
  readonly seconds: number
  /** From the figures to the frozen bytes and to HTML, Markdown and text. */
  readonly formsSeconds: number
  /** The same in processor time, of all threads: what one core would take with nothing else to do. The limits are on it. */
  readonly cpuSeconds: number
  readonly formsCpuSeconds: number
  /** Peak of the process over what it held once the trials were there. */
  readonly mebibytes: number
  readonly loopSeconds: number
  readonly reportBytes: number
  /** So that what was measured can be seen to be a report. */
  readonly estimate: number
}

type Outcome = 'passed' | 'wrong' | 'errored'
type Trial = { readonly case: number; readonly version: number; readonly outcome: Outcome }

/** Cases as they are in production: nearly all steady, some not; one trial in a hundred errors. */
function makeTrials({ cases, trials, versions }: Size): readonly Trial[] {
  const random = seededRandom('bench')
  const population = POPULATIONS.find(({ name }) => name === '85 % .99, 15 % uniform')
  const made: Trial[] = []
  for (let one = 0; one < cases; one += 1) {
    const p = population?.draw(random) ?? 0
    for (let version = 0; version < versions; version += 1)
      for (let trial = 0; trial < trials; trial += 1)
        made.push({ case: one, version, outcome: outcomeOf(version === 0 ? p : 0.95 * p, random) })
  }
  return made
}

function outcomeOf(p: number, random: { next(): number }): Outcome {
  if (random.next() < p) return 'passed'
  return random.next() < 0.1 ? 'errored' : 'wrong'
}

function measure(size: Size): Measured {
  const trials = makeTrials(size)
  const loopSeconds = plainLoop(trials)
  const held = process.memoryUsage().rss
  const cpu = process.cpuUsage()
  const start = performance.now()
  const report = reportOf(trials, size)
  const figured = performance.now()
  const figuredCpu = process.cpuUsage(cpu)
  const reportBytes = Buffer.byteLength(freeze(report).body)
  const { html, markdown, text } = digestOf(report)
  const formed = performance.now()
  const formedCpu = process.cpuUsage(cpu)
  if (!html.includes('pass^3') || !markdown.includes('pass^3') || !text.includes('pass^3')) throw new Error('no report')
  return {
    seconds: (figured - start) / 1000,
    formsSeconds: (formed - figured) / 1000,
    cpuSeconds: spent(figuredCpu),
    formsCpuSeconds: spent(formedCpu) - spent(figuredCpu),
    mebibytes: Math.max(0, process.resourceUsage().maxRSS * 1024 - held) / MIB,
    loopSeconds,
    reportBytes,
    estimate: report.replays[0]?.suite.passHatK['3']?.estimate ?? Number.NaN,
  }
}

function spent({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e6
}

/** The least that anything over these trials can cost: look at each once. The best of five. */
function plainLoop(trials: readonly Trial[]): number {
  let best = Number.POSITIVE_INFINITY
  let passed = 0
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now()
    for (const { outcome } of trials) if (outcome === 'passed') passed += 1
    best = Math.min(best, (performance.now() - start) / 1000)
  }
  if (passed === 0) throw new Error('no trial passed')
  return best
}

function reportOf(trials: readonly Trial[], { cases, versions }: Size): Report {
  const replays = Array.from({ length: versions }, (_, version): ReplayEvidence => {
    return {
      input: {
        replay: `rpl_${version}`,
        target: 'agent',
        version: `${version + 1}.0.0`,
        suiteName: 'bench',
        k: 3,
        level: 0.95,
        graders: ['bench'],
        cases: countsOf(trials, version, cases),
      },
      graders: [{ name: 'bench' }],
    }
  })
  return assembleReport({
    id: 'rep_bench',
    title: 'bench',
    schedule: null,
    window: null,
    late: false,
    createdAt: '2026-01-01T00:00:00.000Z',
    seed: 'bench',
    level: 0.95,
    replays,
    kept: [],
    census: [],
    modes: [],
    dismissedFailures: 0,
    finalAfterMs: 0,
    missed: [],
    remarks: [],
    previous: null,
  })
}

function countsOf(trials: readonly Trial[], version: number, cases: number): readonly CaseTrials[] {
  const counts = Array.from({ length: cases }, () => ({ planned: 0, passed: 0, wrong: 0, errored: 0, ungraded: 0 }))
  for (const trial of trials) {
    if (trial.version !== version) continue
    const own = counts[trial.case] as (typeof counts)[number]
    own.planned += 1
    own[trial.outcome] += 1
  }
  return counts.map((own, one) => ({
    id: `case-${String(one).padStart(5, '0')}`,
    title: `What about case ${one}?`,
    stratum: one % 4 === 0 ? 'error' : 'ok',
    counts: own,
    erroredButPassing: 0,
    weight: one % 4 === 0 ? 1 : 20,
    stratumKey: one % 4 === 0 ? 'error' : 'ok',
    family: null,
  }))
}

function measureApart({ name }: Size): Measured {
  const rounds = Array.from({ length: ROUNDS }, () => {
    return JSON.parse(execFileSync(process.execPath, [import.meta.filename, '--measure', name], { encoding: 'utf8' }))
  }) as Measured[]
  return rounds.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(ROUNDS / 2)] as Measured
}

function limited({ withForms }: Size, { cpuSeconds, formsCpuSeconds }: Measured): number {
  return cpuSeconds + (withForms ? formsCpuSeconds : 0)
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)))
  return rows.map((row) => row.map((cell, i) => cell.padStart(widths[i] ?? 0)).join('  ')).join('\n')
}

function bench(): void {
  const measured = SIZES.map((size) => ({ size, got: measureApart(size) }))
  const header = [
    'what',
    'cases',
    'trials',
    'figures s',
    'forms s',
    'figures CPU s',
    'forms CPU s',
    'limit on',
    'limit CPU s',
    'MiB',
    'limit MiB',
    'plain loop s',
    'times the loop',
  ]
  const rows = measured.map(({ size, got }) => [
    size.name,
    String(size.cases),
    String(size.cases * size.trials * size.versions),
    got.seconds.toFixed(3),
    got.formsSeconds.toFixed(3),
    got.cpuSeconds.toFixed(3),
    got.formsCpuSeconds.toFixed(3),
    size.withForms ? 'both' : 'figures',
    String(size.secondsMax),
    got.mebibytes.toFixed(0),
    size.mebibytesMax === null ? '–' : String(size.mebibytesMax),
    got.loopSeconds.toFixed(5),
    (limited(size, got) / got.loopSeconds).toFixed(0),
  ])
  console.log(table([header, ...rows]))
  const held = measured.every(({ size, got }) => {
    return limited(size, got) < size.secondsMax && got.mebibytes < (size.mebibytesMax ?? Number.POSITIVE_INFINITY)
  })
  console.log(JSON.stringify({ held, ...Object.fromEntries(measured.map(({ size, got }) => [size.name, got])) }))
  process.exitCode = held ? 0 : 1
}

const [mode, name] = process.argv.slice(2)
if (mode === '--measure') console.log(JSON.stringify(measure(SIZES.find((size) => size.name === name) ?? SIZES[0])))
else if (mode === '--coverage') console.log(coverageTable(COVERAGE_REPS))
else bench()
