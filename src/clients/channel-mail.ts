/**
 * A channel that mails the digest, as text and HTML. The Message-ID follows from the delivery, so that the same mail sent
 * twice is seen as one by most programs; that is no promise, and so a mail whose end is unknown is never repeated.
 *
 * Before the message is handed over, a failure may pass and is tried again; a refusal (5xx) is final; a connection that is
 * lost while the server has the message leaves the end uncertain.
 */
import { createTransport } from 'nodemailer'
import type { Logger } from 'nodemailer/lib/shared/index.js'
import type { Channel, SendResult } from '../core/ports.ts'
import { plain } from '../core/reporting/plain.ts'

const CONNECT_TIMEOUT_MS = 15_000
const SOCKET_TIMEOUT_MS = 45_000
const LIMITS = {
  connectionTimeout: CONNECT_TIMEOUT_MS,
  greetingTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: SOCKET_TIMEOUT_MS,
  disableFileAccess: true,
  disableUrlAccess: true,
} as const

/** `url` is `smtp://` or `smtps://` with user and password where the server asks for them. */
export function makeMailChannel({
  url,
  from,
  to,
}: {
  readonly url: string
  readonly from: string
  readonly to: readonly string[]
}): Channel {
  return {
    async send(digest, deliveryId): Promise<SendResult> {
      const watch = watchForData()
      const transport = createTransport({ url, ...LIMITS, transactionLog: true, logger: watch.logger })
      try {
        const sent = await transport.sendMail({
          from,
          to: [...to],
          subject: plain(digest.subject),
          text: digest.text,
          html: digest.html,
          messageId: `<${deliveryId}@${domainOf(from)}>`,
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Assay-Report': plain(digest.reportId) },
        })
        const refused = sent.rejected.map(String)
        return refused.length === 0
          ? { outcome: 'delivered' }
          : { outcome: 'delivered', note: `refused for ${refused.join(', ')}` }
      } catch (error) {
        return resultOf(error, watch.dataBegan())
      } finally {
        transport.close()
      }
    },
  }
}

/**
 * Whether the message has begun to go out. A connection that breaks gives the same error before and after; the transcript
 * alone tells them apart. Nothing of it is kept.
 */
function watchForData(): { readonly logger: Logger; dataBegan(): boolean } {
  let began = false
  const read = (entry: unknown, message?: unknown) => {
    const theirs = typeof entry === 'object' && entry !== null && 'tnx' in entry && entry.tnx === 'server'
    // "Start mail input": the command DATA itself may have gone out long before, pipelined.
    if (theirs && /^354\b/.test(String(message))) began = true
  }
  const logger = { level: () => undefined, trace: read, debug: read, info: read, warn: read, error: read, fatal: read }
  return { logger, dataBegan: () => began }
}

/** nodemailer adds the SMTP answer to an error, where there was one. */
function resultOf(error: unknown, dataBegan: boolean): SendResult {
  const { responseCode, message } = error as Error & { readonly responseCode?: number }
  if (responseCode !== undefined) return { outcome: 'failed', cause: message, permanent: responseCode >= 500 }
  // No answer to the message: the server may have taken it.
  return dataBegan ? { outcome: 'uncertain', cause: message } : { outcome: 'failed', cause: message, permanent: false }
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}
