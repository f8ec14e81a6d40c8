/**
 * A regular expression that answers in time linear in the text, whatever the text: production output is hostile, and the
 * engine of Node goes back and forth without end on expressions as plain as `(a+)+$`.
 *
 * A simulation of the automaton (Thompson 1968; Cox, "Regular Expression Matching Can Be Simple And Fast", 2007): the set of
 * states that can be reached moves over the text once. Whether a single code point fits an atom is asked of JavaScript's
 * own engine, so that classes, case folding and Unicode properties mean what they mean there.
 */
import { type Assertion, type PatternNode, parsePattern } from './pattern-syntax.ts'

export type Pattern = {
  /** Whether the expression matches somewhere in the text. */
  found(text: string): boolean
}

export type PatternOptions = { readonly caseSensitive: boolean }

/** Longest text, in UTF-16 units, that is worth matching: states × characters stays under a second of work. */
export const PATTERN_TEXT_MAX = 200_000
const STATES_MAX = 500
/** A repetition of a repetition multiplies before STATES_MAX can see it. */
const REPEAT_MAX = STATES_MAX

type State =
  | { readonly op: 'atom'; readonly fits: (codePoint: number) => boolean; next: number }
  | { readonly op: 'split'; readonly next: number[] }
  | { readonly op: 'assertion'; readonly kind: Assertion; next: number }
  | { readonly op: 'found' }

/** What is wrong with the expression, in words that follow its name; null when it can be used. */
export function patternProblem(source: string): string | null {
  const built = build(source, { caseSensitive: true })
  return 'problem' in built ? built.problem : null
}

/** The expression must have passed `patternProblem`; throws Error otherwise. */
export function compilePattern(source: string, options: PatternOptions): Pattern {
  const built = build(source, options)
  if ('problem' in built) throw new Error(`pattern ${JSON.stringify(source)} ${built.problem}`)
  return { found: (text) => simulate(built, text) }
}

type Automaton = {
  readonly states: readonly State[]
  readonly start: number
  readonly isWord: (codePoint: number) => boolean
}

function build(source: string, { caseSensitive }: PatternOptions): Automaton | { readonly problem: string } {
  const parsed = parsePattern(source)
  if ('problem' in parsed) return parsed
  const flags = caseSensitive ? 'u' : 'iu'
  const states: State[] = [{ op: 'found' }]
  const start = emit(parsed.node, 0, states, flags)
  if (start === null) {
    return { problem: `repeats too much: it needs more than ${STATES_MAX} states to be matched in linear time` }
  }
  return { states, start, isWord: codePointTest('\\w', flags) }
}

/** Adds the states of `node` so that they lead to `next`; gives the first, or null when there would be too many. */
function emit(node: PatternNode, next: number, states: State[], flags: string): number | null {
  if (states.length > STATES_MAX) return null
  switch (node.type) {
    case 'atom':
      return states.push({ op: 'atom', fits: codePointTest(node.source, flags), next }) - 1
    case 'assertion':
      return states.push({ op: 'assertion', kind: node.kind, next }) - 1
    case 'sequence':
      return node.parts.reduceRight<number | null>(
        (after, part) => (after === null ? null : emit(part, after, states, flags)),
        next,
      )
    case 'choice': {
      const starts = node.options.map((option) => emit(option, next, states, flags))
      return starts.every((start) => start !== null) ? states.push({ op: 'split', next: starts }) - 1 : null
    }
    case 'repeat':
      return emitRepeat(node, next, states, flags)
  }
}

function emitRepeat(
  { node, min, max }: Extract<PatternNode, { type: 'repeat' }>,
  next: number,
  states: State[],
  flags: string,
): number | null {
  if (min > REPEAT_MAX || (max ?? 0) > REPEAT_MAX) return null
  let start: number | null = next
  if (max === null) {
    const loop: number[] = [next]
    const split = states.push({ op: 'split', next: loop }) - 1
    const body = emit(node, split, states, flags)
    if (body === null) return null
    loop.push(body)
    start = split
  } else {
    for (let optional = min; optional < max && start !== null; optional++) {
      const body = emit(node, start, states, flags)
      if (body === start) break // It is empty, however often.
      start = body === null ? null : states.push({ op: 'split', next: [body, next] }) - 1
    }
  }
  for (let required = 0; required < min && start !== null; required++) {
    const body = emit(node, start, states, flags)
    if (body === start) break
    start = body
  }
  return start
}

/** Asks JavaScript once per code point and remembers the answer for ASCII. */
function codePointTest(source: string, flags: string): (codePoint: number) => boolean {
  const single = new RegExp(`^(?:${source})$`, flags)
  const test = (codePoint: number) => single.test(String.fromCodePoint(codePoint))
  const ascii = Array.from({ length: 128 }, (_, codePoint) => test(codePoint))
  return (codePoint) => ascii[codePoint] ?? test(codePoint)
}

type Place = { readonly before: number; readonly after: number }
const NOTHING = -1

function simulate({ states, start, isWord }: Automaton, text: string): boolean {
  const seen = new Int32Array(states.length).fill(-1)
  let step = 0
  let current: number[] = []
  let before = NOTHING

  /** Follows what costs no character. True when the end is among it. */
  const reach = (from: number, place: Place, into: number[]): boolean => {
    const open = [from]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen[at] === step) continue
      seen[at] = step
      const state = states[at]
      if (state === undefined) continue
      if (state.op === 'found') return true
      if (state.op === 'atom') into.push(at)
      else if (state.op === 'split') open.push(...state.next)
      else if (holds(state.kind, place, isWord)) open.push(state.next)
    }
    return false
  }

  for (let at = 0; ; ) {
    const after = text.codePointAt(at) ?? NOTHING
    // A match may begin anywhere: the start is reachable at each place.
    if (reach(start, { before, after }, current)) return true
    if (after === NOTHING) return false
    at += after > 0xffff ? 2 : 1
    const following = text.codePointAt(at) ?? NOTHING
    const place = { before: after, after: following }
    const next: number[] = []
    step += 1
    for (const index of current) {
      const state = states[index]
      if (state?.op === 'atom' && state.fits(after) && reach(state.next, place, next)) return true
    }
    current = next
    before = after
  }
}

function holds(kind: Assertion, { before, after }: Place, isWord: (codePoint: number) => boolean): boolean {
  if (kind === 'start') return before === NOTHING
  if (kind === 'end') return after === NOTHING
  const isEdge = (before !== NOTHING && isWord(before)) !== (after !== NOTHING && isWord(after))
  return kind === 'boundary' ? isEdge : !isEdge
}
