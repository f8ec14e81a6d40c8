/**
 * What the API and the pages ask of the application beyond reading: one narrow function type each. `app.ts` gives them.
 *
 * All throw InputError (or NotFoundError) where the caller is wrong. Plain reading goes to the store's views directly.
 */
import type { StageName } from '../core/ports.ts'
import type { Reliability, VersionComparison } from '../core/reporting/report.ts'
import type { FailureMode, ReviewAct } from '../core/taxonomy/failure-mode.ts'
import type { DrawStratum } from '../store/schema.ts'

export type UseCases = {
  /** Draws cases for a suite from the traces kept in [from, to); the suite's own count where none is given. */
  drawCases(wish: DrawWish): Promise<Drawn>
  /** One case a line (NDJSON). Nothing is stored when a line is wrong; the error names the line. */
  importCases(wish: { readonly suite: string | null; readonly text: string }): Promise<ImportedCases>
  /** Plans all trials and returns at once; the replay stage does the work. */
  startReplay(wish: ReplayWish): Promise<PlannedReplay>
  /** Results that another harness made, one trial a line (NDJSON), as the replay `name`. */
  importTrials(wish: {
    readonly name: string
    /** k of the figures that are shown by default; null: 3. */
    readonly k: number | null
    readonly text: string
  }): Promise<{ readonly id: string; readonly name: string; readonly trials: number; readonly cases: number }>
  /** Trials that have not ended end as cancelled. Does nothing to a replay that has ended. */
  cancelReplay(wish: { readonly replayId: string }): Promise<void>
  /** `k` of null is the replay's own. */
  reliability(wish: {
    readonly replayId: string
    readonly k: number | null
    readonly level: number
  }): Promise<Reliability>
  /** Ids or names; b minus a on the cases they share. */
  compare(wish: {
    readonly a: string
    readonly b: string
    readonly k: number | null
    readonly level: number
  }): Promise<VersionComparison>
  /** One act of a person on a failure mode. Throws InputError `changed_meanwhile` where the state does not allow it. */
  review(wish: {
    readonly modeId: string
    readonly who: string
    readonly why: string | null
    readonly act: ReviewAct
  }): Promise<FailureMode>
  /** Computes and freezes a report over replays, by id or name. */
  makeReport(wish: {
    readonly replays: readonly string[]
    readonly title: string | null
    readonly level: number
  }): Promise<{ readonly id: string }>
  /** Makes the time since the schedule's last slot a window of its own that is due now. Its report is delivered as any. */
  runSchedule(wish: {
    readonly schedule: string
  }): Promise<{ readonly schedule: string; readonly from: string; readonly to: string }>
  /** What only the running process knows. */
  running(): Promise<Running>
}

export type DrawWish = {
  readonly suite: string
  readonly from: Date | null
  readonly to: Date | null
  readonly count: number | null
  readonly seed: string | null
}

export type Drawn = {
  readonly drawId: string
  readonly suite: string
  readonly seed: string
  readonly cases: number
  readonly strata: readonly DrawStratum[]
}

export type ImportedCases = {
  readonly suite: string
  /** Cases stored. */
  readonly cases: number
  readonly caseIds: readonly string[]
}

export type ReplayWish = {
  /** Null: the only suite that is configured. */
  readonly suite: string | null
  /** Cases of this draw. Without it: the given cases, else the suite's newest draw or import. */
  readonly drawId: string | null
  readonly caseIds: readonly string[] | null
  /** Draw new cases from the kept traces first. */
  readonly fresh: boolean
  readonly target: string
  /** Null: the target's configured version. */
  readonly version: string | null
  readonly trials: number
  readonly k: number
  /** Null: as the suite says. */
  readonly completionOnly: boolean | null
  readonly name: string | null
}

export type PlannedReplay = {
  readonly id: string
  readonly name: string
  /** The draw whose cases it tries; null when they were named one by one or imported. */
  readonly draw: string | null
}

export type StageActivity = {
  /** ISO 8601; null when it has had nothing to do since the start. */
  readonly lastWorkedAt: string | null
  readonly lastError: { readonly at: string; readonly message: string } | null
}

export type Running = {
  readonly version: string
  readonly engine: 'pglite' | 'postgres'
  readonly startedAt: string
  readonly stages: Readonly<Record<StageName, StageActivity>>
  readonly spool: { readonly entries: number; readonly bytes: number }
  /** Traces that wait for their decision. */
  readonly openTraces: number
  readonly schedules: readonly {
    readonly name: string
    readonly cron: string
    readonly timezone: string
    /** ISO 8601; null when it never falls due again. */
    readonly nextAt: string | null
  }[]
}
