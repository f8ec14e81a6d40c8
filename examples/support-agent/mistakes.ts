/**
 * How the example agent errs. Each place where a mistake can be made (a site) asks here whether it is made now.
 *
 * Two draws decide. The first depends on the input alone and says how hard the site is for it: so some inputs always
 * succeed, some always fail, most failing ones are mixed. The second depends on seed, version and key and decides this
 * answer. No state, no clock: the same seed, version, key and message make the same mistakes for ever.
 */
import { createHash } from 'node:crypto'

export const VERSIONS = ['1.0.0', '2.0.0'] as const
export type Version = (typeof VERSIONS)[number]

export const CATEGORIES = [
  'wrong tool',
  'bad arguments',
  'retrieval miss',
  'policy violation',
  'unsupported claim',
  'environment failure',
] as const
export type Category = (typeof CATEGORIES)[number]

/** `site` is where it was made, in words: `opening hours`, `refund without lookup`. */
export type Mistake = { readonly category: Category; readonly site: string }

export type Slips = {
  /** Whether the mistake is made; a made one is written down, so ask only where it takes effect. */
  makes(category: Category, site: string): boolean
  /** One of the variants, for wordings. */
  choose<T>(what: string, variants: readonly [T, ...T[]]): T
  /** Uniform in [0, 1). */
  draw(what: string): number
  readonly mistakes: readonly Mistake[]
}

export type SlipSource = {
  readonly seed: string
  readonly version: Version
  /** The Idempotency-Key of a trial, the id of a production request. */
  readonly key: string
  /** The input as far as it decides how hard the question is. */
  readonly difficultyOf: string
}

type Rates = { readonly easy: number; readonly medium: number; readonly hard: number }

/** Shares of inputs for which a site is of medium difficulty, and hard; the rest is easy. */
const SHARES: Readonly<Record<Category, { readonly medium: number; readonly hard: number }>> = {
  'wrong tool': { medium: 0.04, hard: 0.01 },
  'bad arguments': { medium: 0.13, hard: 0.035 },
  'retrieval miss': { medium: 0.17, hard: 0.05 },
  'policy violation': { medium: 0.24, hard: 0.05 },
  'unsupported claim': { medium: 0.035, hard: 0.008 },
  'environment failure': { medium: 0.03, hard: 0.004 },
}

const STEADY: Rates = { easy: 0.004, medium: 0.4, hard: 0.96 }

/** 2.0.0 has mostly learnt arguments and searching, and has unlearnt caution with money. */
const RATES: Readonly<Record<Version, Readonly<Record<Category, Rates>>>> = {
  '1.0.0': {
    'wrong tool': STEADY,
    'bad arguments': { easy: 0.005, medium: 0.5, hard: 0.97 },
    'retrieval miss': { easy: 0.005, medium: 0.5, hard: 0.97 },
    'policy violation': { easy: 0, medium: 0.08, hard: 0.4 },
    'unsupported claim': STEADY,
    'environment failure': { easy: 0.01, medium: 0.35, hard: 0.9 },
  },
  '2.0.0': {
    'wrong tool': STEADY,
    'bad arguments': { easy: 0, medium: 0.04, hard: 0.2 },
    'retrieval miss': { easy: 0, medium: 0.05, hard: 0.25 },
    'policy violation': { easy: 0.06, medium: 0.65, hard: 0.97 },
    'unsupported claim': STEADY,
    'environment failure': { easy: 0.01, medium: 0.35, hard: 0.9 },
  },
}

export function makeSlips({ seed, version, key, difficultyOf }: SlipSource): Slips {
  const mistakes: Mistake[] = []
  const draw = (what: string) => uniform(seed, version, key, what)
  return {
    makes(category, site) {
      const rate = RATES[version][category][difficulty(seed, difficultyOf, category, site)]
      const isMade = draw(`${category}/${site}`) < rate
      if (isMade) mistakes.push({ category, site })
      return isMade
    },
    choose: (what, variants) => variants[Math.floor(draw(what) * variants.length)] ?? variants[0],
    draw,
    mistakes,
  }
}

function difficulty(seed: string, input: string, category: Category, site: string): keyof Rates {
  const u = uniform(seed, 'difficulty', input, category, site)
  const { medium, hard } = SHARES[category]
  return u < hard ? 'hard' : u < hard + medium ? 'medium' : 'easy'
}

/** Uniform in [0, 1): the first 52 bits of SHA-256 over the parts. */
export function uniform(...parts: readonly string[]): number {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  return Number.parseInt(hash.slice(0, 13), 16) / 2 ** 52
}
