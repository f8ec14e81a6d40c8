/**
 * A population of cases to plan with: their pass probabilities as a beta distribution, given by its mean and by how much
 * of the spread of single trials lies between cases. An assumption and nothing else: no figure of a report rests on it.
 *
 * Beta, because two numbers that people can say fix it, and because it gives pass^k for every k and n in closed form
 * (Skellam 1948, the beta-binomial). At an icc of 0 every case is alike, towards 1 each passes always or never.
 */
import { requireCount, requireFinite, requireShare } from './argument.ts'
import { sharedTrials } from './pass-at-k.ts'

export type CasePopulation = {
  /** Mean pass probability. */
  readonly rate: number
  /** Variance between cases over rate·(1 − rate), 0 to 1. */
  readonly icc: number
}

export type CaseValueSpread = {
  /** E[p^k]. */
  readonly rate: number
  /** Variance of p^k between cases. */
  readonly between: number
  /** Mean variance of the pass^k estimate of one case over its trials. */
  readonly within: number
}

/** How the pass^k estimates of cases with so many trials spread; k = 1 is pass@1. Null when k > trials. */
export function passHatKSpread({
  population,
  trials,
  k,
}: {
  readonly population: CasePopulation
  readonly trials: number
  readonly k: number
}): CaseValueSpread | null {
  requireShare('rate', population.rate)
  requireShare('icc', population.icc)
  requireCount('trials', trials, { min: 1 })
  requireCount('k', k, { min: 1 })
  if (k > trials) return null
  const rate = moment(population, k)
  const both = moment(population, 2 * k)
  let within = 0
  // Two random k-subsets that share j trials both pass with chance E[p^(2k−j)].
  for (const { shared, chance } of sharedTrials(trials, k))
    within += chance * (moment(population, 2 * k - shared) - both)
  return { rate, between: Math.max(0, both - rate ** 2), within: Math.max(0, within) }
}

/**
 * Standard deviation of the case differences of two versions on the same cases, of which only the true pass^k of the cases
 * correlate, by `correlation`: 2·((1 − correlation)·between + within) under the root.
 */
export function pairedSd({
  spread,
  correlation,
}: {
  readonly spread: CaseValueSpread
  readonly correlation: number
}): number {
  requireFinite('correlation', correlation)
  return Math.sqrt(2 * ((1 - correlation) * spread.between + spread.within))
}

/** E[p^j] = Π (a + i)/(a + b + i), divided through by 1/icc − 1 so that both ends of icc stand. */
function moment({ rate, icc }: CasePopulation, j: number): number {
  let value = j === 0 ? 1 : rate
  for (let i = 1; i < j; i += 1) value *= (rate * (1 - icc) + i * icc) / (1 - icc + i * icc)
  return value
}
