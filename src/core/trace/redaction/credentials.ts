/**
 * Tokens and keys: by the prefixes that their makers gave them, by the words around them, and private key blocks.
 *
 * Each pattern is entered at a literal and never looks ahead without a bound; what only the whole match can tell is
 * asked in code afterwards, because a look-ahead there would make the time quadratic.
 */

/** Makers' prefixes that no other text has. */
const MARKED_KEYS = new RegExp(
  `(?<![A-Za-z0-9])(?:${[
    '(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z2-7]{12}[A-Z0-9]{4}(?![A-Za-z0-9])', // Amazon
    'gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}', // GitHub
    'gl(?:pat|ptt|rt|dt|soat)-[A-Za-z0-9_-]{16,}', // GitLab
    'xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}', // Slack
    'AIza[A-Za-z0-9_-]{30,}|ya29\\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}', // Google
    '(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}', // Stripe, Standard Webhooks
    '[sp]k-lf-[0-9a-f-]{36}|lsv2_[a-z]{2}_[A-Za-z0-9_]{20,}', // Langfuse, LangSmith
    'hf_[A-Za-z0-9]{20,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{20,}|pplx-[A-Za-z0-9]{20,}', // model hosts
    'npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|dckr_pat_[A-Za-z0-9_-]{20,}', // registries
    'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}|key-[0-9a-f]{32}(?![0-9a-f])', // mail
    'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|dop_v1_[0-9a-f]{32,}|sq0[a-z]{3}-[A-Za-z0-9_-]{20,}', // shops, hosts
    'SK[0-9a-f]{32}(?![0-9a-f])|[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}', // Twilio, Telegram
  ].join('|')})`,
  'g',
)

const MARKED_KEY_HINT =
  /AKIA|ASIA|AROA|AIDA|ABIA|ACCA|gh[pousr]_|github_pat_|gl[a-z]+-|xox|xapp-|AIza|ya29|GOCSPX|[spr]k_|whsec_|k-lf-|lsv2_|hf_|gsk_|xai-|r8_|pplx-|npm_|pypi-|dckr_|SG\.|key-|shp|dop_|sq0|SK[0-9a-f]|:AA/

/** OpenAI, Anthropic, OpenRouter and those who copied them; also the prefix of style sheet classes. */
const SK_KEY = /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{16,}/g

const BEARER = /\b(bearer\s{1,3})([A-Za-z0-9._~+/=-]{8,})/gi

const AUTHORIZATION =
  /\b(authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:(?:basic|token|apikey|digest)\s{1,3})?)([A-Za-z0-9._~+/=:-]{8,})/gi

const ASSIGNED =
  /(?<![A-Za-z0-9])((?:(?:api|access|auth|secret|private|client|session|refresh)[_\- ]?(?:key|token|secret)|secret[_-]access[_-]key|password|passwd|pwd|passphrase)(?:["']?\s{0,3}(?::|=>?)|\sis)\s{0,3}["']?)([^\s"'`,;<>()[\]{}\\]{6,})/gi

const URL_LOGIN = /(?<=:\/\/)[^\s/:@"'<>[\]]{1,200}:[^\s/@"'<>[\]]{1,200}(?=@)/g

const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|$)/g

const SLACK_HOOK = /(hooks\.slack\.com\/(?:services|workflows)\/)[A-Za-z0-9/_-]{16,}/g

export function redactPrivateKeys(text: string): string {
  return text.includes('PRIVATE KEY') ? text.replace(PRIVATE_KEY, '[private-key]') : text
}

/** Header, payload and signature joined by dots; the header of every JSON web token begins with `eyJ`. */
export function redactJwts(text: string): string {
  if (!text.includes('eyJ')) return text
  return text.replace(/[\w.-]{20,}/g, (run) => {
    const segments = run.split('.')
    const at = segments.findIndex((segment, index) => isJwtAt(segment, segments[index + 1], segments[index + 2]))
    if (at === -1) return run
    const header = segments[at] as string
    return [...segments.slice(0, at), `${header.slice(0, header.indexOf('eyJ'))}[jwt]`].join('.')
  })
}

export function redactTokens(text: string): string {
  const withoutLogins = text.includes('://') ? text.replace(URL_LOGIN, '[credentials]') : text
  return withoutLogins
    .replace(BEARER, (found, word: string, token: string) => (looksRandom(token) ? `${word}[token]` : found))
    .replace(AUTHORIZATION, (found, word: string, token: string) => (looksRandom(token) ? `${word}[token]` : found))
}

export function redactKeys(text: string): string {
  const withoutMarked = MARKED_KEY_HINT.test(text) ? text.replace(MARKED_KEYS, '[key]') : text
  const withoutHooks = withoutMarked.replace(SLACK_HOOK, '$1[key]')
  return withoutHooks.includes('sk-')
    ? withoutHooks.replace(SK_KEY, (found) => (isRandomKey(found) ? '[key]' : found))
    : withoutHooks
}

/** `password=…`, `api key: …`: prose ("password: required") has no digit in it. */
export function redactAssigned(text: string): string {
  return text.replace(ASSIGNED, (found, word: string, secret: string) =>
    /\d/.test(secret) && !/^https?:/i.test(secret) ? `${word}[secret]` : found,
  )
}

function isJwtAt(header: string, payload: string | undefined, signature: string | undefined): boolean {
  const start = header.indexOf('eyJ')
  return start !== -1 && header.length - start >= 8 && (payload ?? '').length >= 5 && signature !== undefined
}

/** Words have neither digits nor capitals inside. */
function looksRandom(token: string): boolean {
  return /\d/.test(token) || /[a-z][A-Z]/.test(token) || token.endsWith('=')
}

/** Style sheet classes are short words between hyphens; keys have a long random stretch. */
function isRandomKey(key: string): boolean {
  return key.split(/[_-]/).some((stretch) => stretch.length >= 16)
}
