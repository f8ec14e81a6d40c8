/**
 * One version against another on the cases that both were tried on: differences of pass^1 and pass^k with a paired
 * interval, and which cases moved.
 *
 * Never from whether two intervals overlap, never from pooled trials. Cases that only one side has are counted and left
 * out; cases of one session are first averaged to one value, since they fail together.
 * pass^k is the figure that the verdict rests on; pass@1 is beside it.
 */
import { pairedDifference } from '../statistics/compare.ts'
import { passHatK } from '../statistics/pass-at-k.ts'
import { seededRandom } from '../statistics/random.ts'
import { meanOf, SUITE_CASES_MEASURED_MIN } from '../statistics/suite.ts'
import { canonicalJson } from './canonical-json.ts'
import { kValues } from './case-row.ts'
import { isInterpretable, standsIn } from './reliability.ts'
import type { CaseRow, Reliability, SuiteFigure, VersionComparison } from './report.ts'
import { tooFew } from './suite-figures.ts'
import { difference, listed, metricName, percent, plural, pValue, range } from './wording.ts'

const MOVED_MAX = 10

type Pair = { readonly a: CaseRow; readonly b: CaseRow }

/**
 * `level` is 0.95 for 95 %; `seed` is behind the permutation p. `graders` are the definitions in force on each side, where
 * they are known.
 */
export function compareVersions({
  a,
  b,
  level,
  seed,
  graders,
}: {
  a: Reliability
  b: Reliability
  level: number
  seed: string
  graders?: { readonly a: readonly unknown[]; readonly b: readonly unknown[] }
}): VersionComparison {
  const k = Math.min(a.k, b.k)
  const pairs = pairsOf(a, b)
  const families = new Set(pairs.map((pair) => pair.a.family ?? pair.a.case)).size
  const differences = Object.fromEntries(
    kValues(k).map((one) => [
      one === 1 ? metricName('passAtK', 1) : metricName('passHatK', one),
      differenceAt(pairs, { k: one, level, seed, stands: standsIn(b) }),
    ]),
  )
  return {
    a: side(a),
    b: side(b),
    k,
    pairs: families,
    verdict: verdictOf({ a, b, differences }),
    differences,
    moved: moved(pairs),
    notes: [
      ...onlyOneSide(a, b, pairs),
      ...(families < pairs.length
        ? [`${pairs.length} shared cases come from ${families} sessions; each session counts once, with its mean.`]
        : []),
      ...(a.k === b.k ? [] : [`The replays were planned for k = ${a.k} and k = ${b.k}; compared at k = ${k}.`]),
      ...gradersNote(graders),
      ...[a, b].filter((one) => !isInterpretable(one)).map((one) => `${one.target} ${one.version}: ${one.notes[0]}`),
    ],
  }
}

function side({ replay, target, version }: Reliability): VersionComparison['a'] {
  return { replay, target, version }
}

function pairsOf(a: Reliability, b: Reliability): readonly Pair[] {
  const other = new Map(b.cases.map((row) => [row.case, row]))
  return a.cases.flatMap((row) => {
    const same = other.get(row.case)
    return same === undefined ? [] : [{ a: row, b: same }]
  })
}

type Difference = VersionComparison['differences'][string]

function differenceAt(
  pairs: readonly Pair[],
  { k, level, seed, stands }: { k: number; level: number; seed: string; stands: string },
): Difference {
  const valued = pairs.flatMap((pair) => {
    const a = valueAt(pair.a, k)
    const b = valueAt(pair.b, k)
    return a === null || b === null ? [] : [{ family: pair.a.family ?? `case ${pair.a.case}`, a, b }]
  })
  const families = [...Map.groupBy(valued, (one) => one.family).values()]
  const values = (which: 'a' | 'b') => families.map((members) => meanOf(members.map((one) => one[which])) as number)
  const name = k === 1 ? metricName('passAtK', 1) : metricName('passHatK', k)
  const random = seededRandom(`${seed} ${name}`)
  const paired = pairedDifference({ a: values('a'), b: values('b'), level, random })
  const enough = paired.n >= SUITE_CASES_MEASURED_MIN
  const method = paired.exact ? 'sign-flip exact' : `sign-flip of ${paired.flips} by ${paired.random}`
  return {
    estimate: paired.difference,
    low: enough ? (paired.interval?.low ?? null) : null,
    high: enough ? (paired.interval?.high ?? null) : null,
    p: paired.p,
    level,
    method: `${enough ? (paired.interval?.method ?? 'none') : 'none'}; p: ${method}`,
    estimand: `${name} of the second version minus the first, averaged over the cases that both have; for ${stands}`,
    n: paired.n,
    ...(enough ? {} : { reason: tooFew(valued.length, paired.n) }),
  }
}

function valueAt(row: CaseRow, k: number): number | null {
  return passHatK({ n: row.n, c: row.passed, k })
}

function verdictOf({
  a,
  b,
  differences,
}: {
  a: Reliability
  b: Reliability
  differences: Readonly<Record<string, Difference>>
}): string {
  const [second, first] = [nameOf(b, a), nameOf(a, b)]
  if (!isInterpretable(a) || !isInterpretable(b)) return `${second} against ${first}: not interpretable, see the notes`
  // pass@1 comes first in the record and pass^k last; with k = 1 they are one.
  const [beside, primary = beside] = Object.entries(differences)
  if (primary === undefined || beside === undefined) return `${second} against ${first}: nothing to compare`
  const said = `${second} against ${first}, for ${standsIn(b)}: ${words(primary)}`
  return primary === beside ? said : `${said}; ${words(beside)}`
}

type Named = [string, Difference]

function words([name, figure]: Named): string {
  if (figure.estimate === null) return `no figure on ${name} (${figure.reason})`
  const interval = range(figure, difference)
  if (interval === null) return `undecided on ${name}, ${difference(figure.estimate)} (${figure.reason})`
  const p = figure.p === null ? '' : `, ${pValue(figure.p)}`
  const numbers = `${difference(figure.estimate)}, ${percent(figure.level)} interval ${interval}${p}, n = ${figure.n}`
  return `${direction(figure)} on ${name} (${numbers})`
}

/** What the interval allows to be said. */
export function direction(figure: Pick<SuiteFigure, 'low' | 'high'>): 'better' | 'worse' | 'no difference shown' {
  if (figure.low !== null && figure.low > 0) return 'better'
  return figure.high !== null && figure.high < 0 ? 'worse' : 'no difference shown'
}

/** The target's name is said only where the two differ in it. */
function nameOf(one: Reliability, other: Reliability): string {
  return one.target === other.target && one.version !== other.version ? one.version : `${one.target} ${one.version}`
}

function moved(pairs: readonly Pair[]): VersionComparison['moved'] {
  return pairs
    .flatMap(({ a, b }) => {
      const [before, after] = [valueAt(a, 1), valueAt(b, 1)]
      if (before === null || after === null || before === after) return []
      return [{ case: a.case, title: a.title, a: counts(a), b: counts(b), size: Math.abs(after - before) }]
    })
    .toSorted((x, y) => y.size - x.size || (x.case < y.case ? -1 : 1))
    .slice(0, MOVED_MAX)
    .map(({ size: _, ...row }) => row)
}

function counts(row: CaseRow): string {
  return `${row.passed}/${row.n}`
}

function onlyOneSide(a: Reliability, b: Reliability, pairs: readonly Pair[]): readonly string[] {
  const shared = new Set(pairs.map((pair) => pair.a.case))
  return [a, b].flatMap((one) => {
    const alone = one.cases.filter((row) => !shared.has(row.case)).map((row) => row.case)
    return alone.length === 0
      ? []
      : [`${plural(alone.length, 'case')} only in ${one.replay} (${one.version}), left out: ${listed(alone)}.`]
  })
}

function gradersNote(graders?: { readonly a: readonly unknown[]; readonly b: readonly unknown[] }): readonly string[] {
  if (graders === undefined || canonicalJson(graders.a) === canonicalJson(graders.b)) return []
  return ['The two sides were judged by different graders or other settings of them: the difference may be theirs.']
}
