/**
 * The built-in detectors in the order in which they run: the surest first, so that a key which holds digits is a key
 * and no phone. Each leaves markers alone: they hold no digit and no `@`.
 */
import { redactCards } from './cards.ts'
import { redactAssigned, redactJwts, redactKeys, redactPrivateKeys, redactTokens } from './credentials.ts'
import { redactEmails } from './emails.ts'
import { redactPhones } from './phones.ts'

export type Detector = (text: string) => string

export const MARKER_NAMES = [
  'private-key',
  'jwt',
  'token',
  'credentials',
  'key',
  'secret',
  'email',
  'card',
  'phone',
  'circular',
  'too-deep',
] as const

/** Every detector needs one of these: text of plain words is let through unread, and most strings of a trace are. */
const SUSPICIOUS = /[\d@%:_=-]|[a-z][A-Z]|[A-Z]{2}/

export function detectBuiltIn(text: string): string {
  return SUSPICIOUS.test(text) ? BUILT_IN.reduce((redacted, detect) => detect(redacted), text) : text
}

const BUILT_IN: readonly Detector[] = [
  redactPrivateKeys,
  redactJwts,
  redactTokens,
  redactKeys,
  redactAssigned,
  redactEmails,
  redactCards,
  redactPhones,
]
