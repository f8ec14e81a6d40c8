/**
 * The agent's tools. What they answer follows from their arguments; bad arguments are answered with a reason, as a real
 * back end would. The order database behind some of them fails now and then: see `usesOrderDatabase`.
 */
import { type Hit, searchHelp } from './help-centre.ts'
import { type Order, orderOf } from './shop.ts'

export const TOOLS = ['lookup_order', 'refund_order', 'search_help', 'update_address', 'escalate_to_human'] as const
export type ToolName = (typeof TOOLS)[number]

export type ToolRequest = { readonly name: ToolName; readonly arguments: Readonly<Record<string, unknown>> }

export type ToolResult =
  | { readonly kind: 'order'; readonly order: Order }
  | { readonly kind: 'articles'; readonly articles: readonly Hit[] }
  | { readonly kind: 'done'; readonly reference: string }
  | { readonly kind: 'refused'; readonly reason: string }

/** Those that a failing order database takes with it. */
export function usesOrderDatabase(name: ToolName): boolean {
  return name !== 'search_help' && name !== 'escalate_to_human'
}

export function runTool({ name, arguments: args }: ToolRequest): ToolResult {
  switch (name) {
    case 'search_help':
      return { kind: 'articles', articles: searchHelp(String(args.query)) }
    case 'escalate_to_human':
      return { kind: 'done', reference: referenceOf('T', args.order_id ?? args.reason) }
    case 'lookup_order':
      return onOrder(args, (order) => ({ kind: 'order', order }))
    case 'refund_order':
      return onOrder(args, (order) => refund(order, args))
    case 'update_address':
      return onOrder(args, (order) => updateAddress(order, args))
  }
}

function onOrder(args: ToolRequest['arguments'], act: (order: Order) => ToolResult): ToolResult {
  const order = orderOf(String(args.order_id))
  return order === null ? { kind: 'refused', reason: `no order ${String(args.order_id)}` } : act(order)
}

function refund(order: Order, args: ToolRequest['arguments']): ToolResult {
  if (typeof args.amount !== 'number' || args.amount <= 0 || args.amount > order.total) {
    return { kind: 'refused', reason: `amount ${String(args.amount)} is not within the total ${order.total}` }
  }
  if (args.currency !== 'EUR') {
    return { kind: 'refused', reason: `currency ${String(args.currency)} is not that of the order` }
  }
  return { kind: 'done', reference: referenceOf('R', order.orderId) }
}

function updateAddress(order: Order, args: ToolRequest['arguments']): ToolResult {
  const missing = ['street', 'postcode', 'city', 'country'].filter((key) => typeof args[key] !== 'string')
  if (missing.length > 0) return { kind: 'refused', reason: `missing ${missing.join(', ')}` }
  if (order.status !== 'processing') return { kind: 'refused', reason: `the order is ${order.status}` }
  return { kind: 'done', reference: referenceOf('A', order.orderId) }
}

/** `T-48213`: the digits of the order, or the length of the reason, so that it needs no counter. */
function referenceOf(letter: string, about: unknown): string {
  const text = String(about)
  return `${letter}-${/\d{5}/.exec(text)?.[0] ?? String(10_000 + text.length)}`
}
