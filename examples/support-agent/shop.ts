/**
 * The shop that the example agent works for: its catalogue, its orders and its rules.
 *
 * Every well-formed order number has an order, which follows from the number. Ages are in days rather than dates, so that
 * nothing here depends on the clock. Nothing is stored: a refund or a new address changes nothing for the next question.
 */
import { uniform } from './mistakes.ts'

/** Euros. Above it an agent may not refund: a person decides. */
export const REFUND_LIMIT = 100
/** Days after delivery. */
export const RETURN_DAYS = 30

export const ORDER_NUMBER = /\bLF-\d{5}\b/

export type Order = {
  readonly orderId: string
  readonly product: string
  /** Euros. */
  readonly total: number
  readonly status: 'processing' | 'in transit' | 'delivered'
  /** Days until delivery, 0 when delivered. */
  readonly arrivesInDays: number
  /** Days since delivery, null before it. */
  readonly deliveredDaysAgo: number | null
  readonly carrier: string
}

export type Address = { readonly street: string; readonly postcode: string; readonly city: string }

const CATALOGUE: readonly { readonly product: string; readonly price: number }[] = [
  { product: 'linen cushion', price: 24.9 },
  { product: 'oak chopping board', price: 34.5 },
  { product: 'stoneware bowl set', price: 49.9 },
  { product: 'wool throw', price: 69 },
  { product: 'brass desk lamp', price: 89.95 },
  { product: 'beech coat rack', price: 59.9 },
  { product: 'cotton bed linen', price: 79.5 },
  { product: 'glass carafe', price: 19.95 },
  { product: 'walnut side table', price: 149 },
  { product: 'jute rug', price: 189.9 },
  { product: 'floor lamp', price: 129.5 },
  { product: 'oak bookshelf', price: 349 },
  { product: 'reading chair', price: 429 },
  { product: 'dining table', price: 890 },
]

const CARRIERS = ['DHL', 'Hermes', 'DPD'] as const

/** Null when the number is not well formed. */
export function orderOf(orderId: string): Order | null {
  if (!/^LF-\d{5}$/.test(orderId)) return null
  const pick = <T>(what: string, list: readonly T[]): T => list[Math.floor(uniform(orderId, what) * list.length)] as T
  const days = (what: string, most: number) => 1 + Math.floor(uniform(orderId, what) * most)
  const { product, price } = pick('product', CATALOGUE)
  const status = pick('status', ['processing', 'in transit', 'delivered', 'delivered'] as const)
  return {
    orderId,
    product,
    total: price,
    status,
    arrivesInDays: status === 'delivered' ? 0 : days('arrives', 5),
    deliveredDaysAgo: status === 'delivered' ? days('delivered', RETURN_DAYS + 10) : null,
    carrier: pick('carrier', CARRIERS),
  }
}

export function isReturnable({ deliveredDaysAgo }: Order): boolean {
  return deliveredDaysAgo !== null && deliveredDaysAgo <= RETURN_DAYS
}

/** `49.90 €`. */
export function euros(amount: number): string {
  return `${amount.toFixed(2)} €`
}
