/**
 * The three ways in which something is wrong, by whose fault it is. Expected failures of the world (a target that
 * times out, a channel that refuses) are data and never thrown.
 */

/** The sender of a request or file is wrong. Shown to them as it stands: name the value, the place, what was expected. */
export class InputError extends Error {
  override readonly name: string = 'InputError'
  /** A stable snake_case word. */
  readonly code: string
  /** The place: a JSON path, a line, a header. */
  readonly at: string | undefined

  constructor(code: string, message: string, at?: string) {
    super(message)
    this.code = code
    this.at = at
  }
}

/** What was asked for does not exist (404): the sender is wrong in a way that HTTP has its own answer for. */
export class NotFoundError extends InputError {
  constructor(message: string, at?: string) {
    super('not_found', message, at)
  }
}

/** The operator is wrong: configuration, flags, environment. Stops the start, exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly at: string | undefined

  constructor(message: string, at?: string) {
    super(at === undefined ? message : `${at}: ${message}`)
    this.at = at
  }
}

/** Nobody is wrong and it may pass: the disk is short, the database is away. Shown as it stands (503), to be tried again. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError'
}

/** We are wrong. Fails loudly instead of going on with a state that cannot be. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Broken invariant: ${message}`)
}
