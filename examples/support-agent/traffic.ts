/**
 * Simulated production: posts seeded conversations to the agent, and sends the feedback that customers give on part of the
 * bad answers, and on a few good ones, as signed Standard Webhooks.
 *
 * Customers here know at once whether an answer was bad, because the agent tells them in a header; real ones find out in
 * time. The turns of one conversation are sent in order; conversations overlap.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { type Conversation, type ConversationTurn, conversations } from './conversations.ts'
import { CATEGORIES, type Category, type Mistake, uniform, type Version } from './mistakes.ts'
import { MISTAKES_HEADER } from './server.ts'

export { conversations } from './conversations.ts'

export type TrafficOptions = {
  readonly agentUrl: string
  /** Conversations; some have a second turn. */
  readonly n: number
  readonly seed: string
  /** Which version production runs; 1.0.0 by default. */
  readonly version?: Version
  readonly concurrency?: number
  readonly onProgress?: (done: number, total: number) => void
  readonly signal?: AbortSignal
  readonly feedback?: {
    /** Of the webhook source, `http://…/webhooks/NAME`. */
    readonly url: string
    /** Its secret, `whsec_…`. */
    readonly secret: string
    /** Share of bad answers on which customers give feedback, 0 to 1. */
    readonly share: number
  }
}

/** `turns` = `answered` + `failed`; `mistaken` turns are those with a seeded mistake, answered or failed. */
export type TrafficResult = {
  readonly turns: number
  readonly answered: number
  readonly failed: number
  readonly mistaken: number
  readonly mistakes: Readonly<Record<Category, number>>
  readonly feedback: { readonly down: number; readonly up: number; readonly refused: number }
}

const CONCURRENCY = 8
const ATTEMPTS_MAX = 4
const RETRY_MS = 500
const PRAISE_SHARE = 0.05
const GRUMBLE_SHARE = 0.01

const COMPLAINTS: Readonly<Record<Category, readonly [string, ...string[]]>> = {
  'wrong tool': ['That is not what I asked for.', 'It sent me in circles. Call me at +49 170 5550123.'],
  'bad arguments': ['It could not even find my order.', 'The number is right, I checked it three times!'],
  'retrieval miss': ['That has nothing to do with my question.', 'Not helpful, I had to search the website myself.'],
  'policy violation': [
    'My friend was told something else, is this even allowed?',
    'Promised me things, then nothing came.',
  ],
  'unsupported claim': ['This turned out to be untrue.', 'Nothing of this happened. Write to me: unhappy@example.org'],
  'environment failure': ['It is broken again.', 'Error. I tried twice.'],
}

/**
 * Sends all conversations. Rejects when the agent cannot be reached or the signal aborts; answers of status 500 and 503 are
 * part of the simulation and counted as failed.
 */
export async function sendTraffic(options: TrafficOptions): Promise<TrafficResult> {
  const all = conversations(options.seed, options.n)
  const total = all.reduce((sum, { turns }) => sum + turns.length, 0)
  const outcomes: TurnOutcome[] = []
  const waiting = all.values()
  const work = async () => {
    for (const conversation of waiting) {
      for (const turn of conversation.turns) {
        options.signal?.throwIfAborted()
        outcomes.push(await sendTurn(conversation, turn, options))
        options.onProgress?.(outcomes.length, total)
      }
    }
  }
  await Promise.all(Array.from({ length: options.concurrency ?? CONCURRENCY }, work))
  return tally(outcomes)
}

type Opinion = 'down' | 'up' | 'none'

type TurnOutcome = {
  readonly isAnswered: boolean
  readonly mistakes: readonly Mistake[]
  readonly opinion: Opinion
  readonly isRefused: boolean
}

async function sendTurn(
  { conversation, user }: Conversation,
  { id, message }: ConversationTurn,
  { agentUrl, version = '1.0.0', seed, signal, feedback }: TrafficOptions,
): Promise<TurnOutcome> {
  const response = await fetch(`${agentUrl}/v1/answer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ conversation, user, message, id, version }),
    ...(signal === undefined ? {} : { signal }),
  })
  const body = (await response.json()) as { traceId?: string }
  const truth = response.headers.get(MISTAKES_HEADER)
  if (truth === null || body.traceId === undefined) {
    throw new Error(`${agentUrl} answered ${response.status} without a trace: ${JSON.stringify(body)}`)
  }
  const mistakes = JSON.parse(truth) as readonly Mistake[]
  const opinion = feedback === undefined ? 'none' : opinionOf(seed, id, mistakes, feedback.share)
  const event = { type: 'feedback', traceId: body.traceId, ...wordsOf(seed, id, mistakes, opinion) }
  const isAccepted =
    feedback === undefined || opinion === 'none' || (await deliver(feedback, `msg_${body.traceId}`, event, signal))
  return { isAnswered: response.ok, mistakes, opinion, isRefused: !isAccepted }
}

function opinionOf(seed: string, id: string, mistakes: readonly Mistake[], share: number): Opinion {
  const u = uniform(seed, id, 'opinion')
  if (mistakes.length > 0) return u < share ? 'down' : 'none'
  return u < PRAISE_SHARE ? 'up' : u < PRAISE_SHARE + GRUMBLE_SHARE ? 'down' : 'none'
}

function wordsOf(seed: string, id: string, mistakes: readonly Mistake[], opinion: Opinion) {
  if (opinion === 'up') return { label: 'thumbs-up', comment: 'Quick and friendly, thank you.' }
  const category = mistakes[0]?.category
  const complaints = category === undefined ? (['I did not like the tone.'] as const) : COMPLAINTS[category]
  const comment = complaints[Math.floor(uniform(seed, id, 'complaint') * complaints.length)] ?? complaints[0]
  return { label: 'thumbs-down', comment }
}

/** Whether the receiver took it. Tries again, with the same id, what it says it cannot take now. */
async function deliver(
  { url, secret }: NonNullable<TrafficOptions['feedback']>,
  id: string,
  event: object,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const body = JSON.stringify(event)
  for (let attempt = 1; ; attempt++) {
    const at = new Date()
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(id, at, body),
      },
      body,
      ...(signal === undefined ? {} : { signal }),
    })
    await response.body?.cancel()
    if (response.ok) return true
    const isBusy = response.status === 429 || response.status === 503
    if (!isBusy || attempt === ATTEMPTS_MAX) return false
    await sleep(RETRY_MS * attempt, undefined, { signal })
  }
}

function tally(outcomes: readonly TurnOutcome[]): TrafficResult {
  const count = (holds: (outcome: TurnOutcome) => boolean) => outcomes.filter(holds).length
  const having = (category: Category) => count(({ mistakes }) => mistakes.some((m) => m.category === category))
  return {
    turns: outcomes.length,
    answered: count(({ isAnswered }) => isAnswered),
    failed: count(({ isAnswered }) => !isAnswered),
    mistaken: count(({ mistakes }) => mistakes.length > 0),
    mistakes: Object.fromEntries(CATEGORIES.map((category) => [category, having(category)])) as Record<
      Category,
      number
    >,
    feedback: {
      down: count(({ opinion, isRefused }) => opinion === 'down' && !isRefused),
      up: count(({ opinion, isRefused }) => opinion === 'up' && !isRefused),
      refused: count(({ isRefused }) => isRefused),
    },
  }
}
