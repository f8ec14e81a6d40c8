/**
 * Payment card numbers: the shapes that people write, a known issuer's prefix, and the Luhn check digit (ISO/IEC 7812-1).
 *
 * A prefix alone or Luhn alone would hit one order number in ten. Nineteen digits in one piece are a row id or a time in
 * nanoseconds before they are a card, and thirteen a bar code: those lengths count in groups only, or not at all.
 */

/** 4-4-4-4(-3), 4-6-5 and 4-6-4 with one kind of separator, or digits in one piece. Never part of a longer number or word. */
const SHAPE =
  /(?<![A-Za-z0-9.])(?<!\d[-\u2011])[2-6]\d{3}(?:([ .\u00a0\u2011-])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|([ \u00a0-])\d{6}\2\d{4,5}|\d{10,12})(?![A-Za-z0-9])(?![.-]\d)/g

const ISSUERS: readonly { readonly prefix: RegExp; readonly lengths: readonly number[] }[] = [
  { prefix: /^4/, lengths: [16, 19] },
  { prefix: /^(?:5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720))/, lengths: [16] },
  { prefix: /^3[47]/, lengths: [15] },
  { prefix: /^(?:6011|64[4-9]|65)/, lengths: [16, 19] },
  { prefix: /^35(?:2[89]|[3-8])/, lengths: [16] },
  { prefix: /^3(?:0[0-5]|[689])/, lengths: [14] },
  { prefix: /^62/, lengths: [16, 19] },
  { prefix: /^(?:5018|5020|5038|6304|6759|676[1-3])/, lengths: [16] },
]

export function redactCards(text: string): string {
  if (!/\d{4}/.test(text)) return text
  return text.replace(SHAPE, (found) => (isCardNumber(found.replace(/\D/g, '')) ? '[card]' : found))
}

/** `digits` holds digits only. */
export function isCardNumber(digits: string): boolean {
  const isIssued = ISSUERS.some(({ prefix, lengths }) => lengths.includes(digits.length) && prefix.test(digits))
  return isIssued && luhnSum(digits) % 10 === 0
}

/** From the right, every second digit doubled, nines cast out. */
function luhnSum(digits: string): number {
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place])
    const doubled = place % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum
}
