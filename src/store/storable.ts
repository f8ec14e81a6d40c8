/**
 * Words and json columns in the form that the database can hold; what that is, core/replay/storable.ts says.
 */
import { storable, storableText } from '../core/replay/storable.ts'
import { json } from './schema.ts'

/** At most `lengthMax` characters: a column that is indexed takes no novel. */
export function storableWord(text: string | null, lengthMax: number): string | null {
  return text === null ? null : storableText(text.slice(0, lengthMax))
}

/** A value as JSON text, keys and strings storable. */
export function storableJson(value: unknown): string {
  return json(storable(value))
}
