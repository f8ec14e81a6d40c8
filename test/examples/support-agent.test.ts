/** The example agent without its network: what it understands, how it errs, and that both follow from seed and key alone. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { type Answer, answerTurn } from '../../examples/support-agent/agent.ts'
import { conversations, INTENTS, type Intent } from '../../examples/support-agent/conversations.ts'
import { ARTICLES, searchHelp } from '../../examples/support-agent/help-centre.ts'
import { CATEGORIES, type Category, makeSlips, VERSIONS, type Version } from '../../examples/support-agent/mistakes.ts'
import { orderOf, REFUND_LIMIT } from '../../examples/support-agent/shop.ts'
import { coreOf, HELP_TOPICS, understand } from '../../examples/support-agent/understanding.ts'
import { makeRedactor } from '../../src/core/trace/redaction/redactor.ts'

const CASES = 40
const TRIALS = 5
const redactor = makeRedactor()

function turnsOf(seed: string, n: number) {
  return conversations(seed, n).flatMap(({ turns }) => turns)
}

function answerTo(message: string, version: Version, key: string, seed = 'demo'): Promise<Answer> {
  const turn = { message, version, key, conversation: 'c', user: null, parent: ROOT_CONTEXT, caller: 'replay' as const }
  return answerTurn(turn, { seed, tracer: trace.getTracer('none'), wait: async () => {} })
}

/** Mistakes of `TRIALS` trials of each of the first `CASES` messages of a seed. */
async function trialsOf(seed: string, version: Version) {
  const messages = turnsOf(seed, CASES).slice(0, CASES)
  return Promise.all(
    messages.map(({ id, message }) =>
      Promise.all(Array.from({ length: TRIALS }, (_, trial) => answerTo(message, version, `${id}/${trial}`, seed))),
    ),
  )
}

function passRate(cases: readonly (readonly Answer[])[]): number {
  const passed = cases.flat().filter(({ mistakes }) => mistakes.length === 0)
  return passed.length / (CASES * TRIALS)
}

function share(cases: readonly (readonly Answer[])[], category: Category): number {
  return cases.flat().filter(({ mistakes }) => mistakes.some((m) => m.category === category)).length / (CASES * TRIALS)
}

describe('the simulated conversations', () => {
  it('are the same for the same seed, and those of a shorter list are the first of a longer one', () => {
    assert.deepEqual(conversations('a', 20), conversations('a', 50).slice(0, 20))
    assert.notDeepEqual(conversations('a', 20), conversations('b', 20))
  })

  it('cover every intent, with names, order numbers, addresses, e-mail addresses and phone numbers', () => {
    const turns = turnsOf('demo', 400)
    assert.deepEqual([...new Set(turns.map(({ intent }) => intent))].sort(), [...INTENTS].sort())
    const text = turns.map(({ message }) => message).join('\n')
    for (const shape of [
      /LF-\d{5}/,
      /@example\.(org|net)/,
      /\+49 170 \d{7}/,
      /0170 \d{7}/,
      /\+1 415-555-\d{4}/,
      /, \d{5} /,
    ]) {
      assert.match(text, shape)
    }
    assert.doesNotMatch(text, /[{}]|undefined/)
  })

  it('hold second turns in some conversations, with ids of their own', () => {
    const all = conversations('demo', 200)
    const second = all.filter(({ turns }) => turns.length === 2)
    assert.ok(second.length > 10 && second.length < 50)
    const ids = all.flatMap(({ turns }) => turns.map(({ id }) => id))
    assert.equal(new Set(ids).size, ids.length)
  })

  it('lose every e-mail address and phone number to redaction', () => {
    for (const { message } of turnsOf('demo', 400)) {
      assert.doesNotMatch(redactor.text(message), /@|\+49|\+1 |0170/)
    }
  })
})

describe('the understanding of a message', () => {
  it('finds what each generated message asks, and the same after redaction', () => {
    for (const { intent, message } of turnsOf('demo', 600)) {
      const questions = understand(message)
      assert.ok(asks(intent, questions), `${intent}: ${message} gave ${JSON.stringify(questions)}`)
      const redacted = redactor.text(message)
      assert.deepEqual(understand(redacted), questions, redacted)
      assert.equal(coreOf(redacted), coreOf(message))
    }
  })

  it('says so when it understands nothing', async () => {
    const { output } = await answerTo('Tell me a joke about sofas', '1.0.0', 'k')
    assert.match(output ?? '', /not sure that I understand/)
  })
})

function asks(intent: Intent, questions: ReturnType<typeof understand>): boolean {
  const [first] = questions
  if (intent === 'multi-question') return questions.length === 2 && questions.some((q) => q.intent === 'help')
  if (questions.length !== 1) return false
  if (first.intent === 'refund') {
    return intent === (first.amount > REFUND_LIMIT ? 'refund over the limit' : 'refund within the limit')
  }
  return first.intent === 'help' ? first.topic === intent : first.intent === intent
}

describe('the help centre', () => {
  it('finds the right article first for a sensible query, and none for strange words', () => {
    const best = (query: string) => searchHelp(query)[0]?.id
    assert.deepEqual(
      ['return policy', 'opening hours', 'warranty', 'shipping costs', 'payment methods', 'gift cards'].map(best),
      [...HELP_TOPICS],
    )
    assert.deepEqual(searchHelp('xylophone'), [])
    assert.ok(ARTICLES.length >= 12)
  })
})

describe('the orders', () => {
  it('follow from their number, and exist for well-formed numbers only', () => {
    assert.deepEqual(orderOf('LF-12345'), orderOf('LF-12345'))
    for (const garbled of ['12345', 'LF 12345', 'LF-1234', 'LF-123456', 'lf-12345'])
      assert.equal(orderOf(garbled), null)
  })
})

describe('the seeded mistakes', () => {
  it('are the same for the same seed, version, key and message', async () => {
    for (const { id, message } of turnsOf('demo', 20)) {
      assert.deepEqual(await answerTo(message, '2.0.0', id), await answerTo(message, '2.0.0', id))
    }
  })

  it('differ from trial to trial for a question of medium difficulty', () => {
    const made = (key: string) => {
      const slips = makeSlips({ seed: 's', version: '1.0.0', key, difficultyOf: 'medium 3' })
      return Array.from({ length: 200 }, (_, site) => slips.makes('retrieval miss', String(site))).join()
    }
    assert.notEqual(made('trial 0'), made('trial 1'))
  })

  it('are the same before and after redaction', async () => {
    for (const { id, message } of turnsOf('demo', 60)) {
      const before = await answerTo(message, '1.0.0', id)
      const after = await answerTo(redactor.text(message), '1.0.0', id)
      assert.deepEqual(after.mistakes, before.mistakes)
      assert.equal(after.output, before.output)
    }
  })

  it('fall into each of the six categories, in both versions', async () => {
    for (const version of VERSIONS) {
      const made = new Set<Category>()
      for (const { id, message } of turnsOf('demo', 400)) {
        for (const { category } of (await answerTo(message, version, id)).mistakes) made.add(category)
      }
      assert.deepEqual([...made].sort(), [...CATEGORIES].sort())
    }
  })

  it('leave cases that always pass, that always fail and that are mixed', async () => {
    const cases = await trialsOf('demo', '1.0.0')
    const passed = cases.map((trials) => trials.filter(({ mistakes }) => mistakes.length === 0).length)
    assert.ok(passed.filter((n) => n === TRIALS).length >= 15)
    assert.ok(passed.filter((n) => n === 0).length >= 2)
    assert.ok(passed.filter((n) => n > 0 && n < TRIALS).length >= 8)
  })

  it('make 2.0.0 better at arguments and searching and worse with money, so that 40 cases × 5 trials show it', async () => {
    for (const seed of ['demo', 'assay', '7']) {
      const [one, two] = [await trialsOf(seed, '1.0.0'), await trialsOf(seed, '2.0.0')]
      for (const rate of [passRate(one), passRate(two)]) assert.ok(rate > 0.72 && rate < 0.92, `${seed}: ${rate}`)
      const learnt = (cases: typeof one) => share(cases, 'bad arguments') + share(cases, 'retrieval miss')
      assert.ok(learnt(one) > learnt(two) + 0.08, `${seed}: ${learnt(one)} and ${learnt(two)}`)
      assert.ok(share(two, 'policy violation') > share(one, 'policy violation') + 0.04, seed)
    }
  })
})
