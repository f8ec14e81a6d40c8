/**
 * Environment failures, told apart by rule before anything is grouped: a dependency that is down, slow or over its limit says
 * nothing about the agent's judgement, and mixed into agent failures it hides what to fix.
 *
 * Applied to errors only (of a trial, a trace or a tool), never to what a grader says about an answer.
 */

export const ENVIRONMENT_FAILURE = 'environment failure'

/** Of trials: kinds that say by themselves that something outside the agent gave way. */
const KIND = /^(?:connection_|host_not_found$|timeout$|http_(?:5\d\d|408|429)$|rate_limited$|unavailable$|overloaded$)/

const CODES =
  'ECONNREFUSED|ECONNRESET|ECONNABORTED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOSPC|EPROTO'
const PHRASES = [
  'socket hang up',
  'connection (?:was )?(?:refused|reset|closed|aborted|timed out|error)',
  '(?:failed|unable|could not|couldn.t) to connect',
  'connect(?:ion)? ?timeout',
  'ConnectionError',
  'fetch failed',
  'network (?:error|is unreachable)',
  'name or service not known|getaddrinfo|name resolution',
  '(?:request|operation|read|call|query|statement) timed out|timed out (?:after|while|waiting)|timeout (?:of|exceeded|after)',
  'did not (?:answer|respond|reply) (?:with)?in\\b|no (?:answer|response|reply) (?:with)?in\\b',
  'TimeoutError|deadline exceeded|TimeoutExpired',
  '(?:HTTP(?:/\\d(?:\\.\\d)?)?|status(?: code)?:?|error(?: code)?:?) (?:5\\d\\d|429|408)\\b',
  'internal server error|bad gateway|service (?:is |temporarily )?unavailable|gateway time-?out',
  'too many requests|rate[ _-]?limit(?:ed|s)?\\b|quota (?:was )?exceeded|overloaded',
  'no space left on device|out of memory',
  'certificate (?:has expired|verify failed)|self[- ]signed certificate|wrong version number',
]
const MESSAGE = new RegExp(`\\b(?:${CODES}|UND_ERR_[A-Z_]+)\\b|${PHRASES.join('|')}`, 'i')
const MESSAGE_CHARACTERS_MAX = 16_000

/** Whether an error of this kind and message is the environment's. Either may be null. */
export function isEnvironmentFailure(kind: string | null, message: string | null): boolean {
  return (
    (kind !== null && KIND.test(kind)) || (message !== null && MESSAGE.test(message.slice(0, MESSAGE_CHARACTERS_MAX)))
  )
}
