/**
 * A report: all figures of one window (or of replays asked for by hand), frozen. The JSON of this type in canonical form is
 * what is stored; HTML, Markdown and text are made from it and from nothing else.
 *
 * Invariant: no figure without its n, its interval and its estimand in words; where the data cannot give a number there
 * is null and a reason.
 */
export type CaseRow = {
  readonly case: string
  /** The input in one line, redacted and shortened. */
  readonly title: string
  readonly stratum: string
  readonly planned: number
  /** passed + wrong + errored: the trials that count. */
  readonly n: number
  readonly passed: number
  readonly wrong: number
  readonly errored: number
  readonly ungraded: number
  /** Errored trials whose checks would have passed (timeouts often do). */
  readonly erroredButPassing: number
  readonly allPassed: boolean
  /** Keys "1" and String(k); null when k > n. */
  readonly passAtK: Readonly<Record<string, number | null>>
  readonly passHatK: Readonly<Record<string, number | null>>
  readonly intervals: {
    readonly passAtK: Readonly<Record<string, readonly [number, number] | null>>
    readonly passHatK: Readonly<Record<string, readonly [number, number] | null>>
  }
  /** Why a figure is null, where one is. */
  readonly reason?: string
  /** Present where the case shares its session with another of the suite: such cases are not independent evidence. */
  readonly family?: string
}

export type SuiteFigures = {
  readonly passAtK: Readonly<Record<string, SuiteFigure>>
  readonly passHatK: Readonly<Record<string, SuiteFigure>>
  readonly casesAtZero: number
  readonly casesMixed: number
  readonly casesAllPassed: number
  /** Figures that stand beside pass^k where trials errored or are ungraded; null where there are none. */
  readonly beside: BesideFigures
}

/**
 * pass^1 and pass^k with the trials in doubt taken otherwise, keyed by k. Errored as failed is what the suite's own
 * figures do: it stands here as the lower end of the bracket. All speak of the cases that have k trials left.
 */
export type BesideFigures = {
  /** Without the errored trials: what the agent does when it completes. */
  readonly completedOnly: Readonly<Record<string, SuiteFigure>> | null
  readonly erroredAsFailed: Readonly<Record<string, SuiteFigure>> | null
  readonly erroredAsPassed: Readonly<Record<string, SuiteFigure>> | null
  /** The strict rate. */
  readonly ungradedAsFailed: Readonly<Record<string, SuiteFigure>> | null
}

/**
 * `n` is the number of independent units behind the figure: cases (or families of them), kept traces. `low` and `high`
 * speak of what `estimand` says.
 */
export type SuiteFigure = {
  readonly estimate: number | null
  readonly low: number | null
  readonly high: number | null
  readonly level: number
  readonly method: string
  readonly estimand: string
  readonly n: number
  readonly reason?: string
  /** The interval for these cases again, at the same level: what a second replay of exactly these would move within. */
  readonly again?: { readonly low: number; readonly high: number; readonly method: string }
}

/** `assay reliability --json`, and each replay of a report (DESIGN section 10). */
export type Reliability = {
  readonly replay: string
  readonly target: string
  readonly version: string
  readonly suiteName: string | null
  readonly k: number
  readonly level: number
  /** Names of the graders in force; empty when completing was all that was asked. */
  readonly graders: readonly string[]
  readonly trials: {
    readonly planned: number
    readonly passed: number
    readonly wrong: number
    readonly errored: number
    readonly ungraded: number
  }
  readonly cases: readonly CaseRow[]
  readonly suite: SuiteFigures
  /** The same pass^k figures weighted to the traffic that the cases were drawn from; null where p is unknown. */
  readonly traffic: Readonly<Record<string, SuiteFigure>> | null
  /** What a reader must know before using the figures. */
  readonly notes: readonly string[]
}

export type ModeRow = {
  readonly mode: string
  readonly name: string
  readonly state: 'proposed' | 'accepted'
  readonly category: string | null
  /** The sum of `perReplay` and `production`. */
  readonly count: number
  /** Failed trials of each replay, in the order of the report. */
  readonly perReplay: readonly number[]
  /** Failed traces among the kept ones of the window; not weighted. */
  readonly production: number
  readonly cases: number
  readonly example: string
}

export type CensusRow = {
  readonly rule: string
  readonly sampler: string
  readonly received: number
  readonly kept: number
  readonly dropped: number
  readonly shed: number
  readonly incomplete: number
}

export type VersionComparison = {
  readonly a: { readonly replay: string; readonly target: string; readonly version: string }
  readonly b: { readonly replay: string; readonly target: string; readonly version: string }
  readonly k: number
  /** Cases (or families of cases) that both have. */
  readonly pairs: number
  /** The result in words; "no difference shown" is one. */
  readonly verdict: string
  /** b − a on the cases they share, by metric: `pass@1`, `pass^k`. */
  readonly differences: Readonly<Record<string, SuiteFigure & { readonly p: number | null }>>
  /** Cases that moved most, both ways. */
  readonly moved: readonly { readonly case: string; readonly title: string; readonly a: string; readonly b: string }[]
  readonly notes: readonly string[]
}

/** Against the schedule's report before this one: other traces of a like kind, so the difference is unpaired. */
export type PeriodChange = {
  readonly report: string
  readonly window: { readonly from: string; readonly to: string }
  readonly differences: readonly {
    readonly target: string
    readonly fromVersion: string
    readonly toVersion: string
    /** `pass@1`, `pass^k`. */
    readonly metric: string
    readonly figure: SuiteFigure
  }[]
  /** Names of failure modes that the report before did not have. */
  readonly newModes: readonly string[]
}

export type Report = {
  readonly schema: 'assay.report/1'
  readonly id: string
  readonly title: string
  /** Null for a report that was asked for by hand. */
  readonly schedule: string | null
  readonly window: { readonly from: string; readonly to: string; readonly timezone: string } | null
  readonly late: boolean
  readonly createdAt: string
  readonly seed: string
  readonly level: number
  readonly replays: readonly Reliability[]
  readonly comparison: VersionComparison | null
  /** Null for the first report of a schedule, and for one asked for by hand. */
  readonly since: PeriodChange | null
  /** Rates over production traffic in the window, weighted by the known sampling probabilities. */
  readonly production: readonly { readonly name: string; readonly figure: SuiteFigure }[]
  readonly failureModes: readonly ModeRow[]
  readonly coverage: {
    readonly rows: readonly CensusRow[]
    readonly received: number
    readonly kept: number
    readonly dropped: number
    readonly shed: number
  }
  /** What was not measured, one sentence each. */
  readonly notMeasured: readonly string[]
}
