import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import protobuf from 'protobufjs'
import { ConfigError } from '../../../src/core/errors.ts'
import { makeRedactor } from '../../../src/core/trace/redaction/redactor.ts'

type Labelled = { readonly kind: string; readonly text: string; readonly hides: readonly string[] }

const redactor = makeRedactor()

/**
 * Written for this test: half hold a secret (`hides`), half look like one. Makers' prefixes are escaped in the file, so
 * that scanners of repositories leave it alone. None of the secrets is real.
 */
const labelled = readFileSync(new URL('../../fixtures/redaction.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Labelled)

/** Keys are put together here, so that no scanner takes this file for a leak. */
const SECRET_KEY = ['sk', 'live', 'a1b2c3d4e5f6a7b8c9d0'].join('_')

describe('redaction on the labelled set', () => {
  const positives = labelled.filter(({ kind }) => kind !== 'none')
  const negatives = labelled.filter(({ kind }) => kind === 'none')

  it('has at least 150 lines, with no less than 70 of either sort', () => {
    assert.ok(labelled.length >= 150 && positives.length >= 70 && negatives.length >= 70)
  })

  it('finds 97 in 100 secrets; what it misses is spelt out in words', () => {
    const missed = positives.filter(({ text, hides }) => hides.some((secret) => redactor.value(text).includes(secret)))
    assert.ok(1 - missed.length / positives.length >= 0.97, `missed ${missed.map(({ text }) => text).join(' | ')}`)
    for (const { text } of missed) assert.match(text, / at | \[at\] |four one five/)
  })

  it('changes nothing that only looks like a secret', () => {
    for (const { text } of negatives) assert.equal(redactor.value(text), text)
  })

  it('puts the right marker', () => {
    const right = positives.filter(({ kind, text }) => redactor.value(text).includes(`[${kind}]`))
    assert.ok(right.length / positives.length >= 0.97)
  })

  it('is the same when done twice', () => {
    for (const { text } of labelled) {
      const once = redactor.text(text)
      assert.equal(redactor.text(once), once)
    }
  })
})

describe('redaction of text', () => {
  it('keeps the words around a secret', () => {
    const text = 'Hi, I am Jo (jo@corp.example, +49 30 1234567), card 4111 1111 1111 1111, order 4155552671.'
    assert.equal(redactor.text(text), 'Hi, I am Jo ([email], [phone]), card [card], order 4155552671.')
  })

  it('is idempotent on any mixture of pieces', () => {
    const piece = fc.oneof(
      fc.constantFrom(...labelled.map(({ text }) => text)),
      fc.constantFrom(
        '@',
        '.',
        '-',
        '+',
        ' ',
        '://',
        ':',
        '=',
        '"',
        '[',
        ']',
        '[email]',
        'eyJ',
        'Bearer ',
        'phone ',
        '%40',
      ),
      fc.string({ maxLength: 8 }),
      fc.stringMatching(/^\d{1,20}$/),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const once = redactor.value(pieces.join(''))
        assert.equal(redactor.value(once), once)
      }),
      { numRuns: 3_000 },
    )
  })

  it('takes linear time on a megabyte made to hurt', () => {
    const units = [
      'a',
      '1',
      '1 ',
      '1-',
      '+1',
      '@',
      'a@',
      'a.',
      'a@a.',
      '%40',
      'eyJ',
      'eyJ-',
      'eyJabcde.',
      'sk-',
      'sk-a_',
      '-----BEGIN PRIVATE KEY-----',
      'Bearer ',
      'bearer a',
      'password',
      'password=',
      'password is ',
      'api_key:"',
      'phone ',
      'phone (',
      'call me at 1 ',
      '://a:',
      '://',
      'authorization: ',
      '0',
      '01 ',
      '(030) ',
      '4111 ',
      '4111-',
      '[',
      '{',
      '"',
      '\\',
      '\\"',
      '{"',
      '{"a":',
      '[[',
      'xoxb-',
      'SG.',
      'ghp_',
      ' ',
      '\n',
      'é',
      '00',
      '415 555 ',
      '123456789:AA',
    ]
    for (const unit of units) {
      const text = unit.repeat(Math.ceil(1_000_000 / unit.length))
      const start = performance.now()
      redactor.value(text)
      const tookMs = performance.now() - start
      assert.ok(tookMs < 2_000, `${JSON.stringify(unit)} took ${Math.round(tookMs)} ms`)
    }
  })
})

describe('redaction of values', () => {
  it('walks lists, objects and keys, and shares what it did not change', () => {
    const quiet = { ids: ['a', 'b'], at: new Date(0) }
    const given = {
      quiet,
      users: [{ name: 'Jo', mail: 'jo@corp.example' }],
      'jo@corp.example': 1,
      'al@corp.example': 2,
    }
    const redacted = redactor.value(given)
    assert.deepEqual(redacted, { quiet, users: [{ name: 'Jo', mail: '[email]' }], '[email]': 1, '[email] 2': 2 })
    assert.equal(redacted.quiet, quiet)
    assert.equal(given.users[0]?.mail, 'jo@corp.example')
    assert.equal(redactor.value(quiet), quiet)
  })

  it('redacts inside JSON text and leaves every other character as it was', () => {
    const text = '{ "price": 10.00, "id": 12345678901234567890,\n "to": "jo\\u0040corp.example", "n": [1.50, "x"] }'
    const expected = '{ "price": 10.00, "id": 12345678901234567890,\n "to": "[email]", "n": [1.50, "x"] }'
    assert.equal(redactor.value(text), expected)
    assert.equal(redactor.value({ args: text }).args, expected)
  })

  it('reads JSON that was encoded again and again', () => {
    const inner = JSON.stringify({ mail: 'jo@corp.example' })
    const twice = JSON.stringify({ args: inner })
    const thrice = JSON.stringify([twice])
    assert.equal(
      redactor.value(thrice),
      JSON.stringify([JSON.stringify({ args: JSON.stringify({ mail: '[email]' }) })]),
    )
  })

  it('redacts JSON that was cut short as text', () => {
    assert.equal(redactor.value('[{"mail":"jo@corp.example","te'), '[{"mail":"[email]","te')
  })

  it('redacts card numbers that are numbers, in values and in JSON text', () => {
    assert.deepEqual(redactor.value({ a: 4111111111111111, b: 1796076070061, c: 12.5 }), {
      a: '[card]',
      b: 1796076070061,
      c: 12.5,
    })
    assert.equal(redactor.value('{"a":4111111111111111,"b":7}'), '{"a":"[card]","b":7}')
  })

  it('believes the name of a field', () => {
    const given = {
      password: 'swordfish',
      phone: '4155552671',
      'http.request.header.authorization': 'Basic abc',
      apiKey: 'x',
      max_tokens: 5,
      secretary: 'Jo',
    }
    assert.deepEqual(redactor.value(given), {
      password: '[secret]',
      phone: '[phone]',
      'http.request.header.authorization': '[secret]',
      apiKey: '[secret]',
      max_tokens: 5,
      secretary: 'Jo',
    })
    assert.equal(
      redactor.value('{"password":"swordfish","phone":4155552671}'),
      '{"password":"[secret]","phone":"[phone]"}',
    )
  })

  it('cuts off what nests too deep instead of letting it through, and survives a cycle', () => {
    let deep: unknown = 'jo@corp.example'
    for (let level = 0; level < 5_000; level++) deep = [deep]
    assert.ok(!JSON.stringify(redactor.value(deep)).includes('jo@'))
    const cycle: Record<string, unknown> = { mail: 'jo@corp.example' }
    cycle.self = cycle
    assert.deepEqual(redactor.value(cycle), { mail: '[email]', self: '[circular]' })
    const nested = `${'['.repeat(50_000)}"jo@corp.example"${']'.repeat(50_000)}`
    assert.ok(!redactor.value(nested).includes('jo@'))
  })

  it('reaches no prototype', () => {
    const given = JSON.parse('{"__proto__":{"mail":"jo@corp.example"},"constructor":"jo@corp.example"}') as object
    const redacted = redactor.value(given)
    assert.equal(JSON.stringify(redacted), '{"__proto__":{"mail":"[email]"},"constructor":"[email]"}')
    assert.equal(Object.getPrototypeOf(redacted), Object.prototype)
  })

  it('is idempotent, and hides a planted secret wherever it stands in a value', () => {
    const planted = fc.constantFrom('jo@corp.example', '+49 30 1234567', '4111 1111 1111 1111', SECRET_KEY)
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 5 },
        planted,
        fc.string(),
        fc.double(),
        fc.array(tie('node'), { maxLength: 4 }),
        tie('object'),
        tie('json'),
      ),
      object: fc.dictionary(fc.oneof(fc.string({ maxLength: 5 }), planted), tie('node'), { maxKeys: 4 }),
      json: tie('node').map((node) => JSON.stringify([node])),
    })).node
    fc.assert(
      fc.property(value, (given) => {
        const once = redactor.value(given)
        assert.deepEqual(redactor.value(once), once)
        const shown = JSON.stringify(once) ?? ''
        for (const secret of ['jo@corp.example', '1234567"', '4111 1111', SECRET_KEY])
          assert.ok(!shown.includes(secret), shown)
      }),
      { numRuns: 1_500 },
    )
  })
})

describe('redaction of decoded OTLP', () => {
  it('changes nothing in recorded payloads, which hold no secret', () => {
    const folder = new URL('../../fixtures/genai/', import.meta.url)
    for (const file of readdirSync(folder)) {
      const payload = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as object
      assert.equal(redactor.value(payload), payload, file)
    }
  })

  const schema = protobuf.parse(`syntax = "proto3";
    message AnyValue { oneof value { string string_value = 1; int64 int_value = 3; KeyValueList kvlist_value = 6; bytes bytes_value = 7; } }
    message KeyValueList { repeated KeyValue values = 1; }
    message KeyValue { string key = 1; AnyValue value = 2; }
    message Span { bytes trace_id = 1; bytes span_id = 2; string name = 5; fixed64 start_time_unix_nano = 7; repeated KeyValue attributes = 9; }`).root
  const Span = schema.lookupType('Span')
  const traceId = Uint8Array.from({ length: 16 }, (_, n) => 0x30 + (n % 10))
  const given = Span.encode(
    Span.fromObject({
      traceId,
      spanId: traceId.slice(0, 8),
      name: 'mail jo@corp.example',
      startTimeUnixNano: '1796076070061000000',
      attributes: [
        { key: 'input.value', value: { stringValue: '{"to":"jo@corp.example"}' } },
        { key: 'user.phone', value: { stringValue: '4155552671' } },
        { key: 'user.id', value: { stringValue: 'user-42' } },
        { key: 'card', value: { intValue: '4111111111111111' } },
        { key: 'big', value: { intValue: '1796076070061000000' } },
        {
          key: 'nested',
          value: { kvlistValue: { values: [{ key: 'password', value: { stringValue: 'swordfish' } }] } },
        },
      ],
    }),
  ).finish()

  it('redacts messages as protobufjs decodes them, and they encode again', () => {
    const decoded = Span.decode(given)
    const again = Span.toObject(Span.decode(Span.encode(redactor.value(decoded)).finish()), { longs: String })
    assert.deepEqual(again.traceId, Buffer.from(traceId))
    assert.equal(again.startTimeUnixNano, '1796076070061000000')
    assert.equal(again.name, 'mail [email]')
    assert.deepEqual(again.attributes, [
      { key: 'input.value', value: { stringValue: '{"to":"[email]"}' } },
      { key: 'user.phone', value: { stringValue: '[phone]' } },
      { key: 'user.id', value: { stringValue: 'user-42' } },
      { key: 'card', value: { intValue: '0' } },
      { key: 'big', value: { intValue: '1796076070061000000' } },
      { key: 'nested', value: { kvlistValue: { values: [{ key: 'password', value: { stringValue: '[secret]' } }] } } },
    ])
  })

  it('redacts plain objects with 64-bit integers as strings or numbers', () => {
    for (const longs of [String, Number]) {
      const plain = Span.toObject(Span.decode(given), { longs })
      const redacted = redactor.value(plain)
      assert.equal(Number(redacted.attributes[3].value.intValue), 0)
      assert.ok(Span.encode(Span.fromObject(redacted)).finish().length > 0)
      assert.equal(redacted.traceId, plain.traceId)
    }
  })

  it('keeps ids that are hex text, even where their digits make a card number', () => {
    const ids = {
      traceId: '41111111111111114111111111111111',
      spanId: '4111111111111111',
      parentSpanId: '4012888888881881',
    }
    assert.equal(redactor.value(ids), ids)
    assert.deepEqual(redactor.value({ traceId: 'jo@corp.example' }), { traceId: '[email]' })
  })
})

describe('redaction with own patterns', () => {
  it('uses the name as the marker and stays idempotent, even for a pattern that hits everything', () => {
    const own = makeRedactor({
      extraPatterns: [
        { name: 'member', regex: /M-\d{4}/ },
        { name: 'any', regex: /[a-z]+/ },
      ],
    })
    const once = own.text('M-1234 and jo@corp.example')
    assert.equal(once, '[member] [any] [email]')
    assert.equal(own.text(once), once)
  })

  it('refuses a name that is no marker', () => {
    assert.throws(() => makeRedactor({ extraPatterns: [{ name: 'My Name', regex: /x/ }] }), ConfigError)
  })
})
