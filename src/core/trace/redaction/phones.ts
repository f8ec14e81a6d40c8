/**
 * Phone numbers, by shape: international, North American, national with a leading zero, and digits that the words
 * before them call a phone number.
 *
 * Bare digits without such words stay: they are order numbers more often than phones. Dates, times and versions are
 * not phones. Every quantifier is bounded, so that time stays linear.
 */
const INTERNATIONAL =
  /(?<![\w+])(?:\+|(?<![.,])00(?=[1-9]\d{0,2}[ ()/-]))[1-9](?:[ ()./\u00a0\u2011-]{0,3}\d){6,14}(?!\w)/g

const NORTH_AMERICAN =
  /(?<![\w.+/-])(?<!\d )(?:1[-. ])?(?:\([2-9]\d{2}\)[ -]?\d{3}[-. ]\d{4}|[2-9]\d{2}([-.\u2011])\d{3}\1\d{4}|[2-9]\d{2} \d{3}-\d{4}|[2-9]\d{2} [2-9]\d{2} \d{4})(?![\w/-]|[.,]\d| \d)/g

const NATIONAL = /(?<![\w.,:/+-])(?<!\d )\(?0[1-9]\d{0,4}\)?(?:[ /-]{1,3}\d{2,8}){1,5}(?![\w:/-]|[.,]\d| \d)/g

const CALLED_PHONE =
  /\b((?:tele)?phone|tel|mobile|cell|fax|whatsapp|telefon|handy|mobil|t[ée]l[ée]phone|tel[ée]fono|m[óo]vil|call(?: me)?(?: back)?(?: at| on)|text me(?: at| on)?|reach me(?: at| on)?)((?:[ _-]?(?:number|no|nr|nummer))?["']?\.?(?: (?:is|at|on|ist))?\s{0,3}[:=#]?\s{0,3}["']?)(\(?\+?\d[\d ()./-]{5,18}\d)(?![\w-]|[.,]\d)/gi

export function redactPhones(text: string): string {
  if (!/\d\D{0,3}\d/.test(text)) return text
  return text
    .replace(CALLED_PHONE, (found, word: string, between: string, number: string) =>
      isPhoneLike(number) && !isDate(number) ? `${word}${between}[phone]` : found,
    )
    .replace(INTERNATIONAL, (found) => (isInternational(found) ? '[phone]' : found))
    .replace(NORTH_AMERICAN, '[phone]')
    .replace(NATIONAL, (found) => (isNational(found) ? '[phone]' : found))
}

/** 7 to 15 digits (the most that E.164 allows) and nothing but what separates them. */
export function isPhoneLike(text: string): boolean {
  const digits = text.replace(/\D/g, '').length
  return digits >= 7 && digits <= 15 && /^[+(]{0,2}\d[\d ()./\u00a0-]{0,25}$/.test(text.trim())
}

/** Without separators it needs more digits: `+15000000` is a difference. */
function isInternational(found: string): boolean {
  const digits = found.replace(/\D/g, '').length
  return /^\+?\d+$/.test(found) ? digits >= 10 : digits >= 8
}

function isNational(found: string): boolean {
  const groups = found.split(/\D+/).filter((group) => group !== '')
  const digits = groups.join('').length
  const isPairs = groups.every((group) => group.length === 2)
  return digits >= 10 && digits <= 12 && !isDate(found) && (!isPairs || groups.length === 5)
}

function isDate(text: string): boolean {
  return /^\d{2}[-/. ]\d{2}[-/. ]\d{4}|^\d{4}[-/.]\d{2}[-/.]\d{2}/.test(text)
}
