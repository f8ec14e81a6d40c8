/**
 * The protobuf wire format, read from bytes in place. It knows tags, varints, lengths and groups; it knows no message.
 *
 * Throws InputError with the byte's place at anything malformed. Invariant: `at` never passes `end`, and each step
 * moves it forward, so that reading ends after at most as many steps as there are bytes.
 */
import { InputError } from '../../errors.ts'

export const VARINT = 0
export const FIXED64 = 1
export const BYTES = 2
export const GROUP_START = 3
export const GROUP_END = 4
export const FIXED32 = 5

/** As in the protobuf libraries: deeper groups are an attack, not a message. */
const GROUP_DEPTH_MAX = 100

const VARINT_BYTES_MAX = 10
const TWO_POW_32 = 2 ** 32

/** Half-open: bytes from `start` up to and without `end`. */
export type ByteRange = { readonly start: number; readonly end: number }

/** One cursor over a range of bytes. Mutable, for it is made and dropped within one scan; it never leaves one. */
export class WireCursor {
  readonly bytes: Uint8Array
  at: number
  end: number
  /** The tag read last. */
  field = 0
  wireType = 0
  /** The two halves of the varint or fixed64 read last, unsigned. */
  low = 0
  high = 0

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.bytes = bytes
    this.at = start
    this.end = end
  }

  /** Moves to a range inside the same bytes. */
  enter(range: ByteRange): void {
    this.at = range.start
    this.end = range.end
  }

  /** Reads the next tag; false at the end of the range. */
  next(): boolean {
    if (this.at >= this.end) return false
    const start = this.at
    this.varint()
    this.field = this.low >>> 3
    this.wireType = this.low & 7
    if (this.high !== 0 || this.field === 0) throw malformed(start, 'a field number that is not allowed')
    return true
  }

  varint(): void {
    const { bytes, end } = this
    const start = this.at
    let byte = this.at < end ? (bytes[this.at++] as number) : -1
    if (byte >= 0 && byte < 0x80) {
      this.low = byte
      this.high = 0
      return
    }
    let low = 0
    let high = 0
    for (let index = 0; index < VARINT_BYTES_MAX; index++) {
      if (byte < 0) throw malformed(start, 'a number that is cut off')
      const bits = byte & 0x7f
      if (index < 4) low |= bits << (7 * index)
      else if (index === 4) {
        low |= bits << 28
        high = bits >>> 4
      } else if (index < 9) high |= bits << (7 * index - 32)
      else high |= (bits & 1) << 31
      if (byte < 0x80) {
        this.low = low >>> 0
        this.high = high >>> 0
        return
      }
      byte = this.at < end ? (bytes[this.at++] as number) : -1
    }
    throw malformed(start, 'a number of more than 10 bytes')
  }

  /** Reads a length and steps over that many bytes; gives where they begin. They end at `at`. */
  bytesStart(): number {
    const place = this.at
    this.varint()
    const start = this.at
    if (this.high !== 0 || this.low > this.end - start) {
      throw malformed(
        place,
        `a length of ${this.high * TWO_POW_32 + this.low} where ${this.end - start} bytes are left`,
      )
    }
    this.at = start + this.low
    return start
  }

  fixed64(): void {
    this.need(8)
    this.low = this.word(this.at)
    this.high = this.word(this.at + 4)
    this.at += 8
  }

  fixed32(): number {
    this.need(4)
    const value = this.word(this.at)
    this.at += 4
    return value
  }

  /** The number read last as a signed 64-bit integer; exact up to 2^53. */
  signed(): number {
    return (this.high | 0) * TWO_POW_32 + this.low
  }

  /** The same, unsigned. */
  unsigned(): number {
    return this.high * TWO_POW_32 + this.low
  }

  /** Steps over the value whose tag was read last. */
  skip(): void {
    if (this.wireType === VARINT) this.varint()
    else if (this.wireType === BYTES) this.bytesStart()
    else if (this.wireType === FIXED64) this.advance(8)
    else if (this.wireType === FIXED32) this.advance(4)
    else if (this.wireType === GROUP_START) this.skipGroup(this.field)
    else throw malformed(this.at, `wire type ${this.wireType}`)
  }

  /** Not by recursion: the depth is the sender's choice. */
  private skipGroup(first: number): void {
    const open = [first]
    while (open.length > 0) {
      if (!this.next()) throw malformed(this.at, `group ${open.at(-1)} that does not end`)
      if (this.wireType === GROUP_START) {
        if (open.length >= GROUP_DEPTH_MAX) throw malformed(this.at, `groups nested over ${GROUP_DEPTH_MAX} deep`)
        open.push(this.field)
      } else if (this.wireType === GROUP_END) {
        if (open.pop() !== this.field) throw malformed(this.at, `the end of group ${this.field}, which is not open`)
      } else this.skip()
    }
  }

  private advance(length: number): void {
    this.need(length)
    this.at += length
  }

  private need(length: number): void {
    if (this.end - this.at < length) throw malformed(this.at, `a value of ${length} bytes that is cut off`)
  }

  private word(at: number): number {
    const { bytes } = this
    return (
      ((bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24)) >>>
      0
    )
  }
}

function malformed(at: number, what: string): InputError {
  return new InputError('malformed_protobuf', `the protobuf is malformed: ${what} at byte ${at}`, `byte ${at}`)
}
