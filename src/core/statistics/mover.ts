/**
 * MOVER: limits of sums and differences from the limits of their parts (Zou, Donner 2008; Newcombe 1998).
 *
 * One engine for nearly every figure: parts bring `(estimate, low, high)` made by whatever interval suits them, and the
 * distance to each limit stands in for the standard error on that side. So results keep the parts' lopsidedness near 0
 * and 1, and a part that shows no variation still has a width. The parts must be independent, except for the one
 * correlation that `moverDifference` takes.
 */

import { invariant } from '../errors.ts'
import type { Piece } from './figure.ts'

/** A part and what it is multiplied by; a negative weight swaps its limits. */
export type WeightedPiece = Piece & { readonly weight: number }

/**
 * Σ weight·part for independent parts. `extraVariance` (already multiplied by the squared quantile) widens both sides: for
 * what varies besides the parts, as estimated weights do.
 */
export function moverSum(pieces: readonly WeightedPiece[], extraVariance = 0): Piece {
  let estimate = 0
  let below = extraVariance
  let above = extraVariance
  for (const piece of pieces) {
    requirePiece(piece)
    const down = piece.weight * (piece.estimate - piece.low)
    const up = piece.weight * (piece.high - piece.estimate)
    estimate += piece.weight * piece.estimate
    below += (piece.weight < 0 ? up : down) ** 2
    above += (piece.weight < 0 ? down : up) ** 2
  }
  return { estimate, low: estimate - Math.sqrt(below), high: estimate + Math.sqrt(above) }
}

/** b − a, where the two estimates are correlated by `correlation` (0: independent). */
export function moverDifference({ a, b, correlation }: { a: Piece; b: Piece; correlation: number }): Piece {
  requirePiece(a)
  requirePiece(b)
  const estimate = b.estimate - a.estimate
  const below = distance(b.estimate - b.low, a.high - a.estimate, correlation)
  const above = distance(b.high - b.estimate, a.estimate - a.low, correlation)
  return { estimate, low: estimate - below, high: estimate + above }
}

/** Length of the third side: √(x² − 2ρxy + y²), never negative under the root when |ρ| ≤ 1 but for rounding. */
function distance(x: number, y: number, correlation: number): number {
  return Math.sqrt(Math.max(0, x * x - 2 * correlation * x * y + y * y))
}

function requirePiece({ estimate, low, high }: Piece): void {
  invariant(low <= estimate && estimate <= high, `a part's limits hold its estimate: ${low} ${estimate} ${high}`)
}
