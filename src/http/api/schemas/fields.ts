/**
 * Fields that many schemas share. The types of the nouns are core's; schemas are held against them by `satisfies`.
 */
import { z } from '@hono/zod-openapi'

/** Core's lists are readonly, so are the lists of the contract. */
export function list<T extends z.ZodType>(of: T) {
  return z.array(of).readonly()
}

export const time = z.string().openapi({ description: 'ISO 8601, UTC', example: '2026-10-05T09:00:00.000Z' })
export const timeOrNull = time.nullable()
export const text = z.string()
export const textOrNull = z.string().nullable()
export const numberOrNull = z.number().nullable()
export const count = z.number().int().min(0)
export const nextPage = textOrNull.openapi({
  description: 'What to give as `before` (or `after`) for the next page; null on the last one.',
})
/** Whatever JSON: the traces and targets decide. */
export const anyValue = z.unknown().openapi({ description: 'Any JSON value.' })
