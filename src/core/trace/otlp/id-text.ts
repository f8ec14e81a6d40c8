/**
 * Ids as lower-case hex, made in the scanner's innermost loop: neighbours that share an id share its text, and the common
 * length is written digit by digit, which is three times faster than asking the buffer.
 */
import type { Buffer } from 'node:buffer'

const SHORT_BYTES = 8
const DIGITS = Uint8Array.from(
  Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .split('')
    .map((digit) => digit.charCodeAt(0)),
)

export class IdText {
  private readonly body: Buffer
  private readonly bytesMax: number
  private start = 0
  private end = 0
  private text = ''

  /** Of an id longer than `bytesMax` that many bytes are given. */
  constructor(body: Buffer, bytesMax: number) {
    this.body = body
    this.bytesMax = bytesMax
  }

  read(start: number, end: number): string {
    if (!this.isSame(start, end)) {
      this.text = end - start === SHORT_BYTES ? this.short(start) : this.any(start, end)
      this.start = start
      this.end = end
    }
    return this.text
  }

  private isSame(start: number, end: number): boolean {
    const length = end - start
    if (length !== this.end - this.start) return false
    const { body, start: before } = this
    for (let i = 0; i < length; i++) if (body[start + i] !== body[before + i]) return false
    return true
  }

  private any(start: number, end: number): string {
    return this.body.toString('hex', start, Math.min(end, start + this.bytesMax))
  }

  /** Written out, since spreading an array costs more than the rest. */
  private short(at: number): string {
    const b = this.body
    return String.fromCharCode(
      high(b[at] as number),
      low(b[at] as number),
      high(b[at + 1] as number),
      low(b[at + 1] as number),
      high(b[at + 2] as number),
      low(b[at + 2] as number),
      high(b[at + 3] as number),
      low(b[at + 3] as number),
      high(b[at + 4] as number),
      low(b[at + 4] as number),
      high(b[at + 5] as number),
      low(b[at + 5] as number),
      high(b[at + 6] as number),
      low(b[at + 6] as number),
      high(b[at + 7] as number),
      low(b[at + 7] as number),
    )
  }
}

function high(byte: number): number {
  return DIGITS[2 * byte] as number
}

function low(byte: number): number {
  return DIGITS[2 * byte + 1] as number
}
