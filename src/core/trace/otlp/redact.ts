/**
 * Redaction of a decoded OTLP request. The redactor walks texts and numbers and leaves byte arrays alone, which is right
 * for ids; an attribute's bytes may hold text, so they are read as such here.
 */
import type { OtlpRequest } from './message.ts'

export type Redact = <T>(value: T) => T

/** The same request without what `redact` takes out of its texts, keys, numbers and textual bytes. */
export function redactOtlp(request: OtlpRequest, redact: Redact): OtlpRequest {
  return redactBytes(redact(request), redact) as OtlpRequest
}

function redactBytes(value: unknown, redact: Redact): unknown {
  if (Array.isArray(value)) return value.map((element) => redactBytes(element, redact))
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'bytesValue' && inner instanceof Uint8Array ? redactedText(inner, redact) : redactBytes(inner, redact),
    ]),
  )
}

function redactedText(bytes: Uint8Array, redact: Redact): Uint8Array {
  const text = textOf(bytes)
  if (text === null) return bytes
  const redacted = redact(text)
  return redacted === text ? bytes : new TextEncoder().encode(redacted)
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}
