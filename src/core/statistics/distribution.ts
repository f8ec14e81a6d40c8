/**
 * The distribution functions under every interval: normal, Student t, beta, binomial and chi-square.
 *
 * The hard parts (incomplete beta and gamma, their inverses, erfc) are stdlib's; here they get the names and the argument
 * order of a statistician. Largest relative error over the reference rows: 6e-15 (see docs/decisions, distributions).
 * Invariant: tails are computed as tails, never as one minus a number near one.
 */

import betainc from '@stdlib/math-base-special-betainc'
import betaincinv from '@stdlib/math-base-special-betaincinv'
import erfc from '@stdlib/math-base-special-erfc'
import erfcinv from '@stdlib/math-base-special-erfcinv'
import gammainc from '@stdlib/math-base-special-gammainc'
import gammaln from '@stdlib/math-base-special-gammaln'
import chiSquareInverse from '@stdlib/stats-base-dists-chisquare-quantile'
import tInverse from '@stdlib/stats-base-dists-t-quantile'

/** P(Z ≤ x) of the standard normal. */
export function normalCdf(x: number): number {
  return 0.5 * erfc(-x / Math.SQRT2)
}

/**
 * The x with P(Z ≤ x) = p. Through erfcinv: stdlib's own normal quantile goes through erfinv(2p − 1), which loses three
 * digits in the lower tail.
 */
export function normalQuantile(p: number): number {
  return p === 0.5 ? 0 : -Math.SQRT2 * erfcinv(2 * p)
}

/** The x with P(T ≤ x) = p, Student t with `df` degrees of freedom (need not be whole). */
export function tQuantile(p: number, df: number): number {
  return tInverse(p, df)
}

/** P(T ≤ x), Student t: half the incomplete beta at df/(df + x²). */
export function tCdf(x: number, df: number): number {
  const tail = 0.5 * betainc(df / (df + x * x), df / 2, 0.5)
  return x > 0 ? 1 - tail : tail
}

/** The regularised incomplete beta function I_x(a, b): P(B ≤ x) for B ~ Beta(a, b). */
export function betaCdf(x: number, a: number, b: number): number {
  return betainc(x, a, b)
}

/** The x with I_x(a, b) = p. */
export function betaQuantile(p: number, a: number, b: number): number {
  return betaincinv(p, a, b)
}

/** P(X ≤ successes) for X ~ Binomial(trials, p). */
export function binomialCdf(successes: number, trials: number, p: number): number {
  if (successes < 0) return 0
  if (successes >= trials) return 1
  return betainc(p, successes + 1, trials - successes, true, true)
}

/** P(X ≥ successes) for X ~ Binomial(trials, p). */
export function binomialUpperTail(successes: number, trials: number, p: number): number {
  if (successes <= 0) return 1
  if (successes > trials) return 0
  return betainc(p, successes, trials - successes + 1)
}

/** P(X > x), chi-square with `df` degrees of freedom. */
export function chiSquareTail(x: number, df: number): number {
  return x <= 0 ? 1 : gammainc(x / 2, df / 2, true, true)
}

/** The x with P(X ≤ x) = p, chi-square with `df` degrees of freedom. */
export function chiSquareQuantile(p: number, df: number): number {
  return chiSquareInverse(p, df)
}

/** ln Γ(x). */
export function logGamma(x: number): number {
  return gammaln(x)
}

/** ln B(a, b). */
export function logBeta(a: number, b: number): number {
  return gammaln(a) + gammaln(b) - gammaln(a + b)
}
