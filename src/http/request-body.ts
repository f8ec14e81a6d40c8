/**
 * Reads a request's raw bytes, inflated where they are gzip, counting while they stream: what is too large is never in
 * memory, whatever a header claims. All requests in hand together have a limit too.
 */
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { InputError } from '../core/errors.ts'

const MIB = 1024 * 1024

export type Received<T> =
  | { readonly outcome: 'used'; readonly result: T }
  | { readonly outcome: 'too_large'; readonly limit: number }
  /** Of the requests in hand together; the sender may try again in a moment. */
  | { readonly outcome: 'busy' }

/** Gives the bytes to `use`, and counts them as in hand until that has ended. Throws InputError at a body cut short. */
export type BodyReader = <T>(
  request: Request,
  encoding: 'identity' | 'gzip',
  use: (bytes: Uint8Array) => Promise<T>,
) => Promise<Received<T>>

export type BodyLimits = {
  /** After decompression; the compressed bytes may not be more either. */
  readonly bodyBytesMax: number
  readonly bytesInHandMax?: number
}

/** One reader is shared by the requests whose memory is to be limited together. */
export function makeBodyReader({ bodyBytesMax, bytesInHandMax = 8 * bodyBytesMax }: BodyLimits): BodyReader {
  let inHand = 0
  return async (request, encoding, use) => {
    const tooLarge = { outcome: 'too_large', limit: bodyBytesMax } as const
    if (Number(request.headers.get('content-length') ?? 0) > bodyBytesMax) return tooLarge
    const chunks: Uint8Array[] = []
    let length = 0
    try {
      for await (const chunk of chunksOf(request, encoding, bodyBytesMax)) {
        length += chunk.length
        inHand += chunk.length
        if (length > bodyBytesMax) return tooLarge
        if (inHand > bytesInHandMax) return { outcome: 'busy' }
        chunks.push(chunk)
      }
      return { outcome: 'used', result: await use(Buffer.concat(chunks)) }
    } catch (error) {
      if (error instanceof TooLarge) return tooLarge
      throw error
    } finally {
      inHand -= length
    }
  }
}

class TooLarge extends Error {}

async function* chunksOf(request: Request, encoding: 'identity' | 'gzip', bytesMax: number): AsyncIterable<Uint8Array> {
  if (request.body === null) return
  const raw = counted(request.body, bytesMax)
  try {
    if (encoding === 'identity') yield* raw
    else yield* inflated(raw)
  } catch (error) {
    if (error instanceof TooLarge) throw error
    const cause = error instanceof Error ? error.message : String(error)
    const what = encoding === 'gzip' ? 'the body is not complete gzip' : 'the body was cut off'
    throw new InputError('malformed_body', `${what}: ${cause}`, 'body')
  }
}

async function* counted(body: AsyncIterable<Uint8Array>, bytesMax: number): AsyncIterable<Uint8Array> {
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > bytesMax) throw new TooLarge()
    yield chunk
  }
}

/** The stream is drained as it is read, so that a bomb is seen after one buffer and not at its end. */
async function* inflated(raw: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: MIB })
  const source = Readable.from(raw)
  source.on('error', (error) => gunzip.destroy(error))
  try {
    yield* source.pipe(gunzip) as AsyncIterable<Uint8Array>
  } finally {
    source.destroy()
    gunzip.destroy()
  }
}
