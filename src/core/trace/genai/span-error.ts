/**
 * Whether a span failed, and its message. An unset status is no error; an exception event is, unless the span says ok.
 */
import type { Span } from '../span.ts'
import { attribute, readWord } from './reading.ts'

/** The message of the failure; null when the span did not fail. Never empty. */
export function spanError(span: Span): string | null {
  const exception = span.events.findLast((event) => event.name === 'exception')
  const type = readWord(attribute(span.attributes, 'error.type'))
  const failed = span.status.code === 2 || (span.status.code !== 1 && (exception !== undefined || type !== null))
  if (!failed) return null
  return (
    readWord(span.status.message) ??
    (exception && readWord(attribute(exception.attributes, 'exception.message'))) ??
    readWord(attribute(span.attributes, 'error.message')) ??
    type ??
    (exception && readWord(attribute(exception.attributes, 'exception.type'))) ??
    'failed without a message'
  )
}
