/**
 * The shop's help centre: a dozen articles, and a search over their words (BM25, k1 = 1.2, b = 0.75; Robertson and
 * Zaragoza 2009). Real retrieval on a small scale: a badly chosen query finds the wrong article.
 */
export type Article = { readonly id: string; readonly title: string; readonly text: string }

export type Hit = Article & { readonly score: number }

export const ARTICLES: readonly Article[] = [
  {
    id: 'returns',
    title: 'Return policy',
    text: 'You can return any unused article within 30 days of delivery. Print the return label from your account and bring the parcel to any drop-off point.',
  },
  {
    id: 'refunds',
    title: 'When refunds arrive',
    text: 'After we have approved a refund, the money reaches your account within 5 to 7 working days, by the way you paid.',
  },
  {
    id: 'hours',
    title: 'Opening hours of our shop',
    text: 'Our shop in Cologne is open Monday to Saturday from 9:30 to 19:00 and closed on Sundays and public holidays.',
  },
  {
    id: 'warranty',
    title: 'Warranty',
    text: 'Furniture and lamps carry a warranty of two years from delivery. Wear, stains and damage by moving are not covered by the warranty.',
  },
  {
    id: 'shipping',
    title: 'Shipping costs',
    text: 'Shipping costs 4.90 € within Germany. From an order value of 60 € shipping is free of charge; furniture is always delivered by appointment.',
  },
  {
    id: 'payment',
    title: 'Payment methods',
    text: 'You can pay by credit card, PayPal, bank transfer or invoice. Payment methods can be changed until an order is packed.',
  },
  {
    id: 'gift-cards',
    title: 'Gift cards',
    text: 'Gift cards can be bought for any amount from 10 € and are valid for three years. A gift card cannot be exchanged for cash.',
  },
  {
    id: 'delivery-time',
    title: 'Delivery times',
    text: 'Deliveries usually take 2 to 4 working days within Germany. You receive a message with a tracking link when the parcel leaves our warehouse.',
  },
  {
    id: 'company',
    title: 'About the company',
    text: 'Larkfield Home is a family company founded in 1987. General information about the company, our history and our values is on the about page.',
  },
  {
    id: 'careers',
    title: 'Working with us',
    text: 'Open positions at the company are listed on our careers page. Applications in German or English are welcome.',
  },
  {
    id: 'care',
    title: 'Caring for oiled wood',
    text: 'Wipe oiled wood with a damp cloth and oil it twice a year. Do not use household cleaner.',
  },
  {
    id: 'newsletter',
    title: 'Newsletter',
    text: 'Subscribe to our newsletter on the bottom of each page. You can unsubscribe in every issue.',
  },
]

const K1 = 1.2
const B = 0.75
const HITS_MAX = 3
const STOP_WORDS = new Set(
  'a about an and any are at by can do for from i in is it my of on or our the to we what you your'.split(' '),
)

const bags = ARTICLES.map(({ title, text }) => wordsOf(`${title} ${title} ${text}`))
const meanLength = bags.reduce((sum, bag) => sum + bag.length, 0) / bags.length

/** The best articles, best first, at most three; none when no word of the query occurs. */
export function searchHelp(query: string): readonly Hit[] {
  const terms = new Set(wordsOf(query))
  return ARTICLES.map((article, at) => ({ ...article, score: round(scoreOf(terms, bags[at] ?? [])) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, HITS_MAX)
}

function scoreOf(terms: ReadonlySet<string>, bag: readonly string[]): number {
  let score = 0
  for (const term of terms) {
    const holding = bags.filter((other) => other.includes(term)).length
    const idf = Math.log(1 + (bags.length - holding + 0.5) / (holding + 0.5))
    const times = bag.filter((word) => word === term).length
    score += (idf * times * (K1 + 1)) / (times + K1 * (1 - B + (B * bag.length) / meanLength))
  }
  return score
}

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\d]+/gu) ?? []).map((word) => word.replace(/s$/, '')).filter(isTelling)
}

function isTelling(word: string): boolean {
  return !STOP_WORDS.has(word)
}

function round(score: number): number {
  return Math.round(score * 1000) / 1000
}
