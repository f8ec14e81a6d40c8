/**
 * What a customer's message asks for: one or more questions, in the order in which they are asked.
 *
 * Reads order numbers, amounts and addresses, never e-mail addresses or phone numbers: a message that was redacted before
 * it is replayed asks the same questions and is as hard as the original.
 */
import type { Address } from './shop.ts'

export const HELP_TOPICS = ['returns', 'hours', 'warranty', 'shipping', 'payment', 'gift-cards'] as const
export type HelpTopic = (typeof HELP_TOPICS)[number]

export type Question =
  | { readonly intent: 'order status' | 'damaged item'; readonly orderId: string }
  | { readonly intent: 'refund'; readonly orderId: string; readonly amount: number }
  | { readonly intent: 'address change'; readonly orderId: string; readonly address: Address }
  | { readonly intent: 'help'; readonly topic: HelpTopic }
  | { readonly intent: 'human'; readonly orderId: string | null }
  | { readonly intent: 'unclear' }

const HUMAN = /\b(?:human|real person|actual person|supervisor|manager)\b/i
const REFUND = /\brefund|\bmoney back\b/i
const DAMAGED = /\b(?:damaged|broken|cracked|shattered|scratched)\b/i
const STATUS = /\bwhere (?:is|are)\b|\btrack\b|\bstatus of\b|\bwhen will\b/i
const ADDRESS_CHANGE = /\baddress\b/i

const TOPICS: Readonly<Record<HelpTopic, RegExp>> = {
  returns: /\breturn policy\b|\bsend (?:something|things|it) back\b|\breturn (?:something|an article)\b/i,
  hours: /\bopening hours\b|\bwhat time\b|\bopen on\b/i,
  warranty: /\bwarranty\b/i,
  shipping: /\bshipping costs?\b|\bcost of shipping\b/i,
  payment: /\bpay (?:by|with)\b|\bpayment methods?\b/i,
  'gift-cards': /\bgift cards?\b/i,
}

/** `€ 49.90`, `49.90 €`, `49 EUR`, `49 euros`. */
const AMOUNT = /€ ?(\d{1,4}(?:\.\d{2})?)|\b(\d{1,4}(?:\.\d{2})?) ?(?:€|EUR\b|euros?\b)/

const POSTAL = /(\p{Lu}[\p{L}. -]{2,40} \d{1,3}[a-z]?), (\d{5}) (\p{Lu}\p{L}+)/u

export function understand(message: string): readonly [Question, ...Question[]] {
  const orderId = message.match(/\bLF-\d{5}\b/)?.[0] ?? null
  if (HUMAN.test(message)) return [{ intent: 'human', orderId }]
  const found = [...aboutOrder(message, orderId), ...aboutHelp(message)].sort((a, b) => a.at - b.at)
  const [first, ...rest] = found.map(({ question }) => question)
  return first === undefined ? [{ intent: 'unclear' }] : [first, ...rest]
}

type Found = { readonly question: Question; readonly at: number }

function aboutOrder(message: string, orderId: string | null): readonly Found[] {
  if (orderId === null) return []
  const at = message.indexOf(orderId)
  const amount = amountIn(message)
  if (REFUND.test(message) && amount !== null) return [{ question: { intent: 'refund', orderId, amount }, at }]
  if (DAMAGED.test(message)) return [{ question: { intent: 'damaged item', orderId }, at }]
  const address = addressIn(message)
  if (ADDRESS_CHANGE.test(message) && address !== null)
    return [{ question: { intent: 'address change', orderId, address }, at }]
  return STATUS.test(message) ? [{ question: { intent: 'order status', orderId }, at }] : []
}

function aboutHelp(message: string): readonly Found[] {
  return HELP_TOPICS.flatMap((topic) => {
    const at = message.search(TOPICS[topic])
    return at < 0 ? [] : [{ question: { intent: 'help' as const, topic }, at }]
  })
}

function amountIn(message: string): number | null {
  const match = message.match(AMOUNT)
  const digits = match?.[1] ?? match?.[2]
  return digits === undefined ? null : Number(digits)
}

function addressIn(message: string): Address | null {
  const match = message.match(POSTAL)
  const [, street, postcode, city] = match ?? []
  return street === undefined || postcode === undefined || city === undefined ? null : { street, postcode, city }
}

/**
 * The words of a message that are the same before and after redaction: plain words and order numbers. Two messages with
 * the same core are equally hard.
 */
export function coreOf(message: string): string {
  const tokens = message.split(/\s+/).map((token) => token.replace(/[.,;:!?()"]+$/, '').replace(/^[("]+/, ''))
  return tokens.filter((token) => /^(?:[\p{L}'’-]+|LF-\d{5})$/u.test(token)).join(' ')
}
