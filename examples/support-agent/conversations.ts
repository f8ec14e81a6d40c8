/**
 * Seeded conversations of made-up customers: names, order numbers, addresses, e-mail addresses and phone numbers in running
 * text, as production text has them. Addresses end in example.org and example.net; phone numbers are of no one.
 *
 * The n-th conversation of a seed is the same whatever n was asked for.
 */
import { uniform } from './mistakes.ts'
import {
  ADDRESS_CHANGE,
  ALSO,
  CITIES,
  CLOSINGS,
  DAMAGED,
  FIRST_NAMES,
  HELP,
  HUMAN,
  LAST_NAMES,
  OPENINGS,
  ORDER_STATUS,
  REFUND,
  STREETS,
} from './phrases.ts'
import { euros, isReturnable, type Order, orderOf, REFUND_LIMIT } from './shop.ts'
import { HELP_TOPICS } from './understanding.ts'

export const INTENTS = [
  'order status',
  'refund within the limit',
  'refund over the limit',
  'address change',
  'damaged item',
  'human',
  'multi-question',
  ...HELP_TOPICS,
] as const
export type Intent = (typeof INTENTS)[number]

export type ConversationTurn = { readonly id: string; readonly intent: Intent; readonly message: string }

/** Turns are asked one after the other; each can be understood without the ones before it. */
export type Conversation = {
  readonly conversation: string
  readonly user: string
  readonly turns: readonly [ConversationTurn, ...ConversationTurn[]]
}

const WEIGHTS: Readonly<Record<Intent, number>> = {
  'order status': 16,
  'refund within the limit': 14,
  'refund over the limit': 12,
  'address change': 10,
  'damaged item': 9,
  human: 6,
  'multi-question': 10,
  returns: 6,
  hours: 5,
  warranty: 4,
  shipping: 4,
  payment: 3,
  'gift-cards': 3,
}

const SECOND_TURN_SHARE = 0.12
const ORDER_TRIES_MAX = 1000

/** `n` conversations, 0 or more. The same seed gives the same ones. */
export function conversations(seed: string, n: number): readonly Conversation[] {
  return Array.from({ length: n }, (_, at) => conversationOf(seed, at))
}

type Chance = {
  readonly share: (what: string) => number
  readonly pick: <T>(what: string, list: readonly T[]) => T
}

function conversationOf(seed: string, at: number): Conversation {
  const chance = chanceOf(seed, String(at))
  const conversation = `conv-${seed}-${String(at + 1).padStart(5, '0')}`
  const person = personOf(chance)
  const first = turnOf(`${conversation}-1`, chanceOf(seed, String(at), '1'), person, null)
  const hasSecond = chance.share('second turn') < SECOND_TURN_SHARE
  const second = turnOf(`${conversation}-2`, chanceOf(seed, String(at), '2'), person, chance.pick('topic', HELP_TOPICS))
  return { conversation, user: `user-${person.user}`, turns: hasSecond ? [first, second] : [first] }
}

function chanceOf(...parts: readonly string[]): Chance {
  const share = (what: string) => uniform(...parts, what)
  return { share, pick: (what, list) => list[Math.floor(share(what) * list.length)] as (typeof list)[number] }
}

type Person = Readonly<Record<'first' | 'last' | 'email' | 'phone' | 'address' | 'user', string>>

function personOf({ share, pick }: Chance): Person {
  const first = pick('first', FIRST_NAMES)
  const last = pick('last', LAST_NAMES)
  const digits = (what: string, count: number) =>
    String(Math.floor(10 ** count * (1 + 9 * share(what)))).slice(0, count)
  const [postcode, city] = pick('city', CITIES)
  return {
    first,
    last,
    email: `${first}.${last}@${pick('domain', ['example.org', 'example.net'])}`.toLowerCase(),
    phone: pick('phone shape', [
      `+49 170 ${digits('phone', 7)}`,
      `+49 221 ${digits('phone', 6)}`,
      `0170 ${digits('phone', 7)}`,
      `+1 415-555-${digits('phone', 4)}`,
    ]),
    address: `${pick('street', STREETS)} ${1 + Math.floor(90 * share('house'))}, ${postcode} ${city}`,
    user: digits('user', 6),
  }
}

function turnOf(id: string, chance: Chance, person: Person, topic: Intent | null): ConversationTurn {
  const intent = topic ?? weighted(chance.share('intent'))
  const text = `${chance.pick('opening', OPENINGS)}${questionOf(intent, chance)}${chance.pick('closing', CLOSINGS)}`
  const filled = fill(text, { ...person, ...orderGaps(intent, chance) })
  return { id, intent, message: `${filled.charAt(0).toUpperCase()}${filled.slice(1)}` }
}

function weighted(share: number): Intent {
  let left = share * INTENTS.reduce((sum, intent) => sum + WEIGHTS[intent], 0)
  for (const intent of INTENTS) {
    left -= WEIGHTS[intent]
    if (left < 0) return intent
  }
  return 'order status'
}

function questionOf(intent: Intent, { pick }: Chance): string {
  switch (intent) {
    case 'order status':
      return pick('question', ORDER_STATUS)
    case 'refund within the limit':
    case 'refund over the limit':
      return pick('question', REFUND)
    case 'address change':
      return pick('question', ADDRESS_CHANGE)
    case 'damaged item':
      return pick('question', DAMAGED)
    case 'human':
      return pick('question', HUMAN)
    case 'multi-question': {
      const first = pick('question', [...ORDER_STATUS, ...REFUND])
      return `${first}${pick('also', ALSO)}${pick('second', HELP[pick('topic', HELP_TOPICS)])}`
    }
    default:
      return pick('question', HELP[intent])
  }
}

/** An order that suits the question, as the shop knows it. */
function orderGaps(intent: Intent, { share, pick }: Chance): Record<string, string> {
  const suits: (order: Order) => boolean =
    intent === 'refund over the limit'
      ? (order) => isReturnable(order) && order.total > REFUND_LIMIT
      : intent === 'refund within the limit' || intent === 'multi-question'
        ? (order) => isReturnable(order) && order.total <= REFUND_LIMIT
        : intent === 'damaged item'
          ? isReturnable
          : intent === 'address change'
            ? (order) => order.status === 'processing'
            : () => true
  for (let tries = 0; tries < ORDER_TRIES_MAX; tries++) {
    const order = orderOf(`LF-${String(10_000 + Math.floor(90_000 * share(`order ${tries}`)))}`)
    if (order === null || !suits(order)) continue
    const amount = pick('amount shape', [
      euros(order.total),
      `€${order.total.toFixed(2)}`,
      `${order.total.toFixed(2)} EUR`,
      `${order.total.toFixed(2)} euros`,
    ])
    return { order: order.orderId, product: order.product, amount }
  }
  throw new Error(`no order suits ${intent} after ${ORDER_TRIES_MAX} tries`)
}

/** Gaps without a value stay as they are; tests look for braces. */
function fill(text: string, gaps: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (gap, name: string) => gaps[name] ?? gap)
}
