/**
 * The "model": a rule-based policy that asks for one tool call at a time and ends with an answer. It stands in for a
 * language model so that the example needs no key, and errs as `mistakes.ts` says.
 *
 * A thought is a generator: it yields a tool call, is given the result, and returns its text. Each step is one model call.
 * Invariant: a mistake is asked for only where it changes what is called or said.
 */

import type { Slips } from './mistakes.ts'
import { euros, isReturnable, type Order, REFUND_LIMIT } from './shop.ts'
import type { ToolRequest, ToolResult } from './tools.ts'
import { type HelpTopic, type Question, understand } from './understanding.ts'

const UNCLEAR = 'I am not sure that I understand. Could you tell me your order number and what I can do for you?'

/** What to search for, and how to speak of it. */
const TOPICS: Readonly<Record<HelpTopic, { readonly query: string; readonly spoken: string }>> = {
  returns: { query: 'return policy', spoken: 'our return policy' },
  hours: { query: 'opening hours of the shop', spoken: 'our opening hours' },
  warranty: { query: 'warranty', spoken: 'the warranty' },
  shipping: { query: 'shipping costs', spoken: 'shipping costs' },
  payment: { query: 'payment methods', spoken: 'ways to pay' },
  'gift-cards': { query: 'gift cards', spoken: 'gift cards' },
}

export type Thought = Generator<ToolRequest, string, ToolResult>

/** The answer to a message, question by question. */
export function* think(message: string, slips: Slips): Thought {
  const parts: string[] = []
  for (const question of understand(message)) {
    parts.push(question.intent === 'unclear' ? UNCLEAR : yield* answer(question, slips))
  }
  return parts.join('\n\n')
}

function answer(question: Exclude<Question, { intent: 'unclear' }>, slips: Slips): Thought {
  switch (question.intent) {
    case 'order status':
      return orderStatus(question.orderId, slips)
    case 'refund':
      return refund(question, slips)
    case 'damaged item':
      return damaged(question.orderId, slips)
    case 'address change':
      return addressChange(question, slips)
    case 'help':
      return help(question.topic, slips)
    case 'human':
      return human(question.orderId, slips)
  }
}

function* orderStatus(orderId: string, slips: Slips): Thought {
  if (slips.makes('wrong tool', 'order status')) {
    yield search('delivery times')
    return 'Deliveries usually take 2 to 4 working days within Germany, so please be patient for a little longer.'
  }
  const found = yield* lookUp(orderId, slips)
  if (typeof found === 'string') return found
  return `${statusText(found)}${claim(slips, 'order status', [
    ' It will arrive tomorrow before noon, that is certain.',
    ' The courier has just told me that he is already in your street.',
  ])}`
}

function* refund({ orderId, amount }: Extract<Question, { intent: 'refund' }>, slips: Slips): Thought {
  if (amount <= REFUND_LIMIT && slips.makes('policy violation', 'refund without lookup')) {
    return yield* payBack(orderId, amount, slips)
  }
  const found = yield* lookUp(orderId, slips)
  if (typeof found === 'string') return found
  if (!isReturnable(found)) {
    return `I am sorry, order ${orderId} is not eligible for a refund: ${statusText(found)}`
  }
  if (amount <= REFUND_LIMIT || slips.makes('policy violation', 'refund over the limit')) {
    return yield* payBack(orderId, amount, slips)
  }
  const ticket = yield* escalate('refund above the limit', orderId)
  return `A refund of ${euros(amount)} needs the approval of a colleague. I have passed your request on (ticket ${ticket}); you will hear from us by e-mail.`
}

function* payBack(orderId: string, amount: number, slips: Slips): Thought {
  const currency = slips.makes('bad arguments', 'refund currency') ? 'USD' : 'EUR'
  const result = yield { name: 'refund_order', arguments: { order_id: orderId, amount, currency } }
  if (result.kind === 'refused') return `The refund for order ${orderId} was not accepted by our system.`
  return `I have refunded ${euros(amount)} for order ${orderId}.${claim(slips, 'refund', [
    ' You will have the money in your account within 24 hours.',
    ' Your bank has already confirmed the transfer.',
  ])}`
}

function* damaged(orderId: string, slips: Slips): Thought {
  const found = yield* lookUp(orderId, slips)
  if (typeof found === 'string') return found
  if (slips.makes('wrong tool', 'damaged item')) {
    yield search('damage by moving')
    return 'Wear, stains and damage by moving are not covered by the warranty.'
  }
  const ticket = yield* escalate('damaged item', orderId)
  const said = `I am sorry that the ${found.product} of order ${orderId} arrived damaged. A colleague will arrange a replacement (ticket ${ticket}).`
  const promised = promise(slips, 'damaged item', [
    ' As compensation you get a 20 % voucher from me.',
    ' On top of that I give you a discount of 15 % on your next order.',
  ])
  return `${said}${promised}${claim(slips, 'damaged item', [' The manufacturer has confirmed that the whole batch was faulty.'])}`
}

function* addressChange({ orderId, address }: Extract<Question, { intent: 'address change' }>, slips: Slips): Thought {
  if (slips.makes('wrong tool', 'address change')) {
    const ticket = yield* escalate('address change', orderId)
    return `I have asked a colleague to look into the address of order ${orderId} (ticket ${ticket}).`
  }
  const country = slips.makes('bad arguments', 'address country') ? {} : { country: 'DE' }
  const result = yield { name: 'update_address', arguments: { order_id: orderId, ...address, ...country } }
  if (result.kind === 'refused') return `I could not change the address of order ${orderId}: ${result.reason}.`
  return `Order ${orderId} will now be sent to ${address.street}, ${address.postcode} ${address.city}.`
}

function* help(topic: HelpTopic, slips: Slips): Thought {
  if (slips.makes('wrong tool', topic)) {
    const ticket = yield* escalate(`question about ${TOPICS[topic].spoken}`, null)
    return `I have passed your question about ${TOPICS[topic].spoken} to a colleague (ticket ${ticket}).`
  }
  const isMissed = slips.makes('retrieval miss', topic)
  const query = isMissed
    ? slips.choose('query', ['general information about the company', 'customer question', 'newsletter and news'])
    : TOPICS[topic].query
  const result = yield search(query)
  const best = result.kind === 'articles' ? result.articles[0] : undefined
  if (best === undefined) return `I could not find anything about ${TOPICS[topic].spoken} in our help centre.`
  return `${best.text}${claim(slips, topic, [
    ' By the way, we match the price of any competitor.',
    ' All our wood comes from our own forest in Norway.',
  ])}`
}

function* human(orderId: string | null, slips: Slips): Thought {
  if (slips.makes('wrong tool', 'human')) {
    const result = yield search('return parcel account')
    const title = result.kind === 'articles' ? result.articles[0]?.title : undefined
    return `Perhaps our article "${title ?? 'About the company'}" answers your question.`
  }
  const ticket = yield* escalate('customer asks for a person', orderId)
  return `I understand that you are upset, and I am sorry. A colleague will call you back today (ticket ${ticket}).${promise(
    slips,
    'human',
    [' For the trouble I credit you 25 € as compensation.', ' You also get a voucher for your next order.'],
  )}`
}

/** The order, or what to say when it was not found. */
function* lookUp(orderId: string, slips: Slips): Generator<ToolRequest, Order | string, ToolResult> {
  const asked = slips.makes('bad arguments', 'order number')
    ? slips.choose('garbled', [orderId.replace('LF-', ''), orderId.replace('-', ' '), orderId.slice(0, -1)])
    : orderId
  const result = yield { name: 'lookup_order', arguments: { order_id: asked } }
  return result.kind === 'order' ? result.order : `I could not find order ${asked}. Please check the number.`
}

function* escalate(reason: string, orderId: string | null): Generator<ToolRequest, string, ToolResult> {
  const about = orderId === null ? {} : { order_id: orderId }
  const result = yield { name: 'escalate_to_human', arguments: { reason, ...about } }
  return result.kind === 'done' ? result.reference : 'pending'
}

function search(query: string): ToolRequest {
  return { name: 'search_help', arguments: { query } }
}

function statusText({ orderId, product, status, arrivesInDays, deliveredDaysAgo, carrier }: Order): string {
  if (status === 'delivered')
    return `Order ${orderId} (${product}) was delivered ${deliveredDaysAgo} days ago by ${carrier}.`
  const verb = status === 'processing' ? 'is being packed' : `is on its way with ${carrier}`
  return `Order ${orderId} (${product}) ${verb} and should arrive in about ${arrivesInDays} days.`
}

/** Something that no tool result or article says; empty when no such claim is made. */
function claim(slips: Slips, site: string, variants: readonly [string, ...string[]]): string {
  return slips.makes('unsupported claim', site) ? slips.choose(`claim/${site}`, variants) : ''
}

/** Something that the agent may not promise; empty when it does not. */
function promise(slips: Slips, site: string, variants: readonly [string, ...string[]]): string {
  return slips.makes('policy violation', `promise to ${site}`) ? slips.choose(`promise/${site}`, variants) : ''
}
