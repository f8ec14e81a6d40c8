/**
 * Decoded OTLP to OTLP/JSON, as its specification writes it: ids as hex, 64-bit integers as decimal text, other bytes as
 * base64, NaN and the infinities as words.
 */
import { Buffer } from 'node:buffer'
import { invariant } from '../../errors.ts'
import type { OtlpRequest } from './message.ts'
import { hex } from './spans.ts'

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

const ID_FIELDS = new Set(['traceId', 'spanId', 'parentSpanId'])

/** A value that JSON.stringify writes as an OTLP/JSON trace request. */
export function toOtlpJson(request: OtlpRequest): Json {
  return toJson(request, '')
}

function toJson(value: unknown, field: string): Json {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return String(value)
    // As text, for JSON.stringify would drop the sign.
    if (Object.is(value, -0)) return '-0'
    return field === 'intValue' ? String(value) : value
  }
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (value instanceof Uint8Array) return ID_FIELDS.has(field) ? hex(value) : Buffer.from(value).toString('base64')
  if (Array.isArray(value)) return value.map((element) => toJson(element, field))
  invariant(typeof value === 'object', `OTLP holds no ${typeof value}`)
  const present = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(present.map(([key, inner]) => [key, toJson(inner, key)]))
}
