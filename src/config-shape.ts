/**
 * The shape of config/assay.yaml: every key a user can type, with its default and its limits. Unknown keys are refused.
 * Names that refer to each other (a suite's graders, a schedule's targets) are checked here too, so that a wrong name
 * stops the start and not the Monday report.
 */
import { z } from 'zod'
import { graderSchema } from './core/grading/grader.ts'
import { rulesSchema } from './core/sampling/rule.ts'
import { cronProblem } from './core/schedule/cron.ts'

const SECOND_MS = 1000
const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: SECOND_MS,
  m: 60 * SECOND_MS,
  h: 3600 * SECOND_MS,
  d: 86_400 * SECOND_MS,
}
const CASES_MAX = 10_000
const TRIALS_MAX = 1000
const CONCURRENCY_MAX = 256
const TARGET_TIMEOUT_MS_MAX = 300 * SECOND_MS

/** `500ms`, `5s`, `10m`, `2h`, `1d`; becomes milliseconds. */
const duration = z.string().transform((text, context) => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text)
  if (match?.[1] === undefined || match[2] === undefined) {
    context.addIssue({
      code: 'custom',
      message: `${JSON.stringify(text)} is not a duration, expected e.g. 5s, 10m, 1h`,
    })
    return z.NEVER
  }
  return Number(match[1]) * (UNIT_MS[match[2]] ?? 1)
})

const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._ -]{0,79}$/, 'a name is 1 to 80 letters, digits, ".", "_", "-" or spaces')
const envName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]*$/, 'expected the NAME of an environment variable, not a secret itself')
const level = z.number().gt(0.5).lt(1)

const server = z.strictObject({
  host: z.string().default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(4318),
})

const sampling = z.strictObject({
  decisionDelay: duration.default(30 * SECOND_MS),
  idleTimeout: duration.default(600 * SECOND_MS),
  traceTimeout: duration.default(1800 * SECOND_MS),
  salt: z.string().max(200).default('assay'),
  rules: rulesSchema,
})

const source = z.strictObject({
  name,
  signature: z.literal('standard-webhooks').default('standard-webhooks'),
  secrets: z.array(envName).min(1).max(2),
})

const target = z.strictObject({
  name,
  kind: z.literal('http'),
  url: z.url({ protocol: /^https?$/ }),
  version: z.string().min(1).max(200).optional(),
  concurrency: z.int().min(1).max(CONCURRENCY_MAX).default(4),
  /** Node ends a call in which nothing comes for five minutes, whatever is asked for. */
  timeout: duration
    .default(60 * SECOND_MS)
    .refine((ms) => ms > 0 && ms <= TARGET_TIMEOUT_MS_MAX, 'expected more than 0 and at most 5m'),
  /** Header name → environment variable that holds its value. */
  headers: z.record(z.string(), envName).default({}),
})

const suite = z.strictObject({
  name,
  from: z.strictObject({ agent: z.string().optional(), service: z.string().optional() }).default({}),
  cases: z.int().min(1).max(CASES_MAX).default(50),
  stratifyBy: z
    .array(z.enum(['outcome', 'agent', 'version', 'rule']))
    .max(4)
    .default(['outcome']),
  graders: z.array(name).default([]),
  completionOnly: z.boolean().default(false),
})

/** `support-agent` is the target at its configured version; `support-agent@2.0.0` names another. */
const targetRef = z.string().min(1).max(300)

const schedule = z
  .strictObject({
    name,
    cron: z.string(),
    timezone: z.string().default('UTC'),
    suite: name,
    targets: z.array(targetRef).min(1).max(8),
    trials: z.int().min(1).max(TRIALS_MAX).default(5),
    k: z.int().min(1).max(TRIALS_MAX).default(3),
    level: level.default(0.95),
    channels: z.array(name).default([]),
  })
  .superRefine((value, context) => {
    const problem = cronProblem(value.cron, value.timezone)
    if (problem !== null) context.addIssue({ code: 'custom', path: [problem.key], message: problem.message })
    if (value.k > value.trials) {
      context.addIssue({
        code: 'custom',
        path: ['k'],
        message: `k ${value.k} is above trials ${value.trials}: pass^k would be undefined`,
      })
    }
  })

const channel = z.discriminatedUnion('kind', [
  z.strictObject({ name, kind: z.literal('file'), folder: z.string().min(1) }),
  z.strictObject({ name, kind: z.literal('webhook'), url: z.url({ protocol: /^https?$/ }), secret: envName }),
  z.strictObject({
    name,
    kind: z.literal('mail'),
    to: z.array(z.email()).min(1).max(50),
    from: z.email(),
    smtp: envName,
  }),
])

const configObject = z.strictObject({
  server: server.prefault({}),
  sampling,
  sources: z.array(source).default([]),
  targets: z.array(target).default([]),
  graders: z.array(graderSchema).default([]),
  suites: z.array(suite).default([]),
  schedules: z.array(schedule).default([]),
  channels: z.array(channel).default([]),
})

export const configSchema = configObject.superRefine(checkNames)

export type ConfigFile = z.output<typeof configObject>
export type TargetConfig = z.infer<typeof target>
export type SuiteConfig = z.infer<typeof suite>
export type ScheduleConfig = z.infer<typeof schedule>
export type ChannelConfig = z.infer<typeof channel>

type Reference = {
  readonly path: (string | number)[]
  readonly value: string
  readonly to: 'graders' | 'suites' | 'targets' | 'channels'
}

function checkNames(config: ConfigFile, context: z.RefinementCtx): void {
  for (const list of ['sources', 'targets', 'graders', 'suites', 'schedules', 'channels'] as const) {
    const seen = new Set<string>()
    config[list].forEach((entry, i) => {
      if (seen.has(entry.name))
        context.addIssue({
          code: 'custom',
          path: [list, i, 'name'],
          message: `${JSON.stringify(entry.name)} is used twice`,
        })
      seen.add(entry.name)
    })
  }
  for (const reference of references(config)) {
    const known = config[reference.to].map((entry) => entry.name)
    if (known.includes(reference.value)) continue
    const list = known.length === 0 ? `there are no ${reference.to}` : `${reference.to} are ${known.join(', ')}`
    context.addIssue({
      code: 'custom',
      path: reference.path,
      message: `${JSON.stringify(reference.value)} is not known; ${list}`,
    })
  }
}

function references(config: ConfigFile): Reference[] {
  const graders = config.suites.flatMap((suite, i) =>
    suite.graders.map((value, j) => ({ path: ['suites', i, 'graders', j], value, to: 'graders' as const })),
  )
  const fromSchedules = config.schedules.flatMap((schedule, i): Reference[] => [
    { path: ['schedules', i, 'suite'], value: schedule.suite, to: 'suites' },
    ...schedule.targets.map((value, j) => ({
      path: ['schedules', i, 'targets', j],
      value: splitTarget(value).name,
      to: 'targets' as const,
    })),
    ...schedule.channels.map((value, j) => ({ path: ['schedules', i, 'channels', j], value, to: 'channels' as const })),
  ])
  return [...graders, ...fromSchedules]
}

/** `name@version` or `name`. Target names hold no "@". */
export function splitTarget(reference: string): { readonly name: string; readonly version: string | null } {
  const at = reference.indexOf('@')
  return at < 0
    ? { name: reference, version: null }
    : { name: reference.slice(0, at), version: reference.slice(at + 1) }
}
