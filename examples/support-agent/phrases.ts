/**
 * What customers write: openings, signatures and the questions themselves, with gaps in braces. Each question says what it
 * asks, so that tests can hold the agent's understanding to it.
 */
import type { HelpTopic } from './understanding.ts'

export const FIRST_NAMES =
  'Anna Bernd Clara David Elif Fatima Georg Hanna Ines Jonas Katrin Lukas Mehmet Nadia Oskar Paula Quentin Rosa Samuel Tereza Ulrich Vera Wanda Yusuf Zoe'.split(
    ' ',
  )
export const LAST_NAMES =
  'Albrecht Brandt Celik Dietrich Engel Fischer Graf Hoffmann Ivanova Jansen Keller Lorenz Meier Novak Otto Pohl Richter Schubert Thiele Ullrich Vogel Weiss Yilmaz Ziegler'.split(
    ' ',
  )
export const STREETS = ['Lindenweg', 'Gartenstrasse', 'Am Markt', 'Rosenallee', 'Schillerplatz', 'Hafenstrasse']
export const CITIES = [
  ['50667', 'Köln'],
  ['10115', 'Berlin'],
  ['80331', 'München'],
  ['20095', 'Hamburg'],
  ['70173', 'Stuttgart'],
  ['40213', 'Düsseldorf'],
] as const

export const OPENINGS = [
  'Hi, ',
  'Hello, ',
  'Good morning, ',
  'Hello there, ',
  'Hi team, ',
  'Dear support, ',
  '',
] as const

export const CLOSINGS = [
  '',
  ' Thanks, {first}',
  ' Thank you! {first} {last}',
  ' Best regards, {first} {last} ({email})',
  ' You can reach me at {phone}. {first}',
  ' My e-mail is {email} and my phone number is {phone}.',
  ' Please answer to {email}, not to my old address. {first}',
  ' Many thanks and a nice day, {first} {last}',
] as const

export const ORDER_STATUS = [
  'where is my order {order}? I have been waiting for days.',
  'can I track order {order} somewhere?',
  'what is the status of {order}?',
  'when will {order} get here? I need it before the weekend.',
  'where are my things? The order number is {order} and I paid two weeks ago.',
  'I ordered for my mother as a present, order {order}. When will the parcel arrive?',
] as const

export const REFUND = [
  'I would like a refund for order {order}. I paid {amount} and it does not fit.',
  'please refund {order}, that was {amount}. The colour is not what I expected.',
  'can I have my money back for {order}? It cost {amount} and I do not need it any more.',
  'I want my money back: {amount} for {order}. I found it cheaper elsewhere.',
  'my order {order} over {amount} was a mistake, I need a refund.',
] as const

export const ADDRESS_CHANGE = [
  'I have moved. Please change the delivery address of {order} to {address}.',
  'I entered the wrong address for {order}, the right one is {address}.',
  'could you send {order} to another address? It is {address}.',
  'new address for order {order}: {address}. I hope that it is not too late.',
] as const

export const DAMAGED = [
  'the {product} from order {order} arrived damaged. What now?',
  'I opened {order} today and the {product} is cracked.',
  'the parcel looked fine but the {product} inside is broken, order {order}.',
  'my {product} (order {order}) has a scratched surface. I would like another one.',
] as const

export const HUMAN = [
  'this is the third time I write. I want to talk to a human, now!',
  'enough of these canned answers, give me a real person. It is about {order}.',
  'I am really angry. Let me speak to your manager about {order}!',
  'nobody answers the phone. Call me at {phone}, and I want an actual person, no robot.',
  'your service is a disgrace. Get me a supervisor.',
] as const

export const HELP: Readonly<Record<HelpTopic, readonly [string, ...string[]]>> = {
  returns: [
    'what is your return policy?',
    'how long can I send something back?',
    'I am thinking of a present for my sister. Until when could she return something she does not like?',
    'does the return policy also hold for articles on sale?',
  ],
  hours: [
    'what are your opening hours?',
    'what time do you close on Saturday?',
    'are you open on Sunday?',
    'I would like to visit your shop in Cologne, what are the opening hours?',
  ],
  warranty: [
    'how long is the warranty on lamps?',
    'do I get a warranty on furniture?',
    'my neighbour says there is a warranty on your chairs, for how long?',
  ],
  shipping: [
    'what are the shipping costs to Hamburg?',
    'how much are shipping costs for a small parcel?',
    'is there a minimum order value for free delivery, and what is the cost of shipping below it?',
  ],
  payment: [
    'can I pay by invoice?',
    'which payment methods do you take?',
    'is it possible to pay with PayPal at your shop?',
  ],
  'gift-cards': [
    'do you sell gift cards?',
    'how long is a gift card valid?',
    'I got a gift card two years ago, can I still use it?',
  ],
}

export const ALSO = [' And another question: ', ' Also, ', ' One more thing: ', ' By the way, '] as const
