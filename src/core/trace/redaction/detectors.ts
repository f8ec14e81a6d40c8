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

export const BUILT_IN: readonly Detector[] = [
  redactPrivateKeys,
  redactJwts,
  redactTokens,
  redactKeys,
  redactAssigned,
  redactEmails,
  redactCards,
  redactPhones,
]
