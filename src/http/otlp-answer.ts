/**
 * The two messages that OTLP/HTTP answers with, in protobuf or JSON: ExportTraceServiceResponse and google.rpc.Status.
 * Small and bounded: texts are cut before they are written.
 */

const MESSAGE_LENGTH_MAX = 2000

const TAG_VARINT_1 = 0x08
const TAG_BYTES_1 = 0x0a
const TAG_BYTES_2 = 0x12

export type Encoding = 'protobuf' | 'json'

/** A full success has no partial_success at all. */
export function encodeExportResponse(
  { rejected, message }: { readonly rejected: number; readonly message: string | null },
  encoding: Encoding,
): Uint8Array<ArrayBuffer> {
  if (rejected === 0 && message === null) return encoding === 'json' ? utf8('{}') : new Uint8Array()
  const errorMessage = (message ?? '').slice(0, MESSAGE_LENGTH_MAX)
  if (encoding === 'json') {
    return utf8(JSON.stringify({ partialSuccess: { rejectedSpans: String(rejected), errorMessage } }))
  }
  const partial = [TAG_VARINT_1, ...varint(rejected), ...text(TAG_BYTES_2, errorMessage)]
  return Uint8Array.from([TAG_BYTES_1, ...varint(partial.length), ...partial])
}

export function encodeStatus(
  { code, message }: { readonly code: number; readonly message: string },
  encoding: Encoding,
): Uint8Array<ArrayBuffer> {
  const short = message.slice(0, MESSAGE_LENGTH_MAX)
  if (encoding === 'json') return utf8(JSON.stringify({ code, message: short }))
  return Uint8Array.from([TAG_VARINT_1, ...varint(code), ...text(TAG_BYTES_2, short)])
}

function text(tag: number, value: string): readonly number[] {
  const bytes = utf8(value)
  return [tag, ...varint(bytes.length), ...bytes]
}

function varint(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 0x80))]
}

function utf8(value: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(value)
}
