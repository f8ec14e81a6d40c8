/**
 * Templates of messages: what is masked and what must stay, idempotence, hostile text, and, where the labelled errors are at
 * hand, that errors which were triggered apart stay apart.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { normaliseMessage, TEMPLATE_CHARACTERS_MAX } from '../../../src/core/taxonomy/message.ts'

describe('a template', () => {
  for (const [message, expected] of [
    ['', ''],
    ['order 17 was not found', 'order <n> was not found'],
    ['no answer within 60000 ms', 'no answer within <n> ms'],
    ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED <ip>'],
    ['cannot read /srv/app/a1/b.txt', 'cannot read <path>'],
    ['GET https://api.example.com/v1/x?y=1 failed', 'GET <url> failed'],
    ["method 'GET' is not allowed", "method 'GET' is not allowed"],
    ["method 'DELETE' is not allowed", "method 'DELETE' is not allowed"],
    ["can't read it, it's 'lost and gone'", "can't read it, it's <str>"],
    ['request 3f2504e0-4f89-11d3-9a0c-0305e82c3301 failed', 'request <id> failed'],
    ['at 2026-12-01T09:00:00Z it failed', 'at <time> it failed'],
    ['mail to a.b@example.com bounced', 'mail to <email> bounced'],
    ['HTTP 404 Not Found', 'HTTP 404 Not Found'],
    ['status code 503', 'status code 503'],
    ['MCP error -32601: Method not found', 'MCP error -32601: Method not found'],
    ['ids req_1144ce72b9, req_aa01e5633c and req_99aa00bb11', 'ids <id>'],
    [
      'Error: 429 {"error":{"type":"rate_limit","code":"slow_down","message":"Limit of 60 reached","request_id":"req_1"}}',
      'Error: 429 rate_limit slow_down Limit of <n> reached',
    ],
    [
      `Error code: 400 - {'error': {'message': "No tool 'x'", 'type': 'invalid_request', 'code': None}}`,
      'Error code: 400 - invalid_request No tool <str>',
    ],
    [
      '{"detail":[{"loc":["body"],"msg":"value is not a valid integer","type":"type_error.integer"}]}',
      'type_error.integer value is not a valid integer',
    ],
    ['answered {"zeta":1,"alpha":2}', 'answered <json alpha zeta>'],
    [
      'Traceback (most recent call last):\n  File "/a/b.py", line 3, in <module>\n    f()\nValueError: too many values to unpack (expected 2)',
      'ValueError: too many values to unpack (expected <n>)',
    ],
    [
      'TypeError: x is not a function\n    at f (/a/b.js:1:2)\n    at g (/a/c.js:3:4)',
      'TypeError: x is not a function',
    ],
    ['\u001b[31mfatal:\u001b[0m broken \u202etxet', 'broken txet'],
    ['expected "Paris", got "paris"', 'expected <str>, got <str>'],
  ] as const) {
    it(`of ${JSON.stringify(message).slice(0, 60)}`, () => {
      assert.equal(normaliseMessage(message), expected)
    })
  }

  it('masks JSON whole in a text that quotes an answer', () => {
    assert.equal(
      normaliseMessage('expected x, got one with {"code":"A","message":"hi"}', { readBodies: false }),
      'expected x, got one with <json>',
    )
  })

  const pieces = fc.constantFrom(
    ...[
      'error ',
      'Error: ',
      '{"message":"',
      '"}',
      "{'a': ",
      '}',
      '[',
      ']',
      "'",
      '"',
      '`',
      'abc',
      'A1',
      'req_9f8e7d',
      '12',
      '-3.5',
      '/a/b',
      '/',
    ],
    ...[
      'GET',
      ' ',
      '\n',
      ': ',
      '<',
      '>',
      '<n>',
      '<id>',
      '#5',
      '(',
      ')',
      ',',
      '.',
      'x.y.zz',
      '12:30',
      '2026-01-01',
      '\\',
      'é',
      '\ud800',
      '\u0000',
    ],
    ...[
      'Traceback (most recent call last)',
      '    at f',
      'HTTP 404',
      'a@b.cc',
      'http://x',
      '::1',
      '1.2.3.4',
      '=',
      ';',
      'b.txt',
      '‘',
      '’',
      'and ',
    ],
  )

  it('is its own template', () => {
    const any = fc.oneof(
      fc.array(pieces, { maxLength: 25 }).map((list) => list.join('')),
      fc.string(),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(any, fc.boolean(), (text, readBodies) => {
        const once = normaliseMessage(text, { readBodies })
        assert.equal(normaliseMessage(once, { readBodies }), once)
        assert.ok(once.length <= TEMPLATE_CHARACTERS_MAX)
        assert.ok(once.isWellFormed() && !once.includes('\n') && !once.includes('\u0000'))
      }),
      { numRuns: 5000 },
    )
  })

  it('does not depend on the numbers, ids and paths in it', () => {
    fc.assert(
      fc.property(fc.nat(), fc.uuid(), fc.nat({ max: 255 }), (number, id, part) => {
        assert.equal(
          normaliseMessage(`order ${number} (request ${id}) of /data/${id}/${number}.json at 10.0.${part}.1:80 failed`),
          normaliseMessage(
            'order 1 (request 3f2504e0-4f89-11d3-9a0c-0305e82c3301) of /data/x/y.json at 10.0.0.1:80 failed',
          ),
        )
      }),
    )
  })

  for (const [what, unit] of Object.entries({
    braces: '{',
    brackets: '[[',
    dicts: "{'a':",
    quotes: '"',
    apostrophes: " 'a",
    slashes: '/a',
    dots: 'a.',
    digits: '1',
    colons: '1:',
    hex: 'ab1-',
    lists: '1, ',
    lines: 'error\n',
    masks: '<n> ',
    brackets2: '(<n>',
    ats: 'a@',
    escapes: '\u001b[',
    spaces: ' ',
    bodies: '{"a":1}',
  })) {
    it(`takes little time for a megabyte of ${what}`, () => {
      const started = process.cpuUsage()
      normaliseMessage(unit.repeat(Math.floor(1_000_000 / unit.length)))
      const spent = process.cpuUsage(started)
      assert.ok(spent.user + spent.system < 3_000_000, `${spent.user} µs`)
    })
  }
})

const LABELLED = path.join(import.meta.dirname, '../../../../shared/data/failures/triggered-errors.jsonl')

describe('templates of errors that were triggered on purpose', {
  skip: existsSync(LABELLED) ? false : 'the labelled errors are not at hand',
}, () => {
  type Labelled = { readonly text: string; readonly label: string }
  const read = () =>
    readFileSync(LABELLED, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Labelled)
      // Their READMEs: explanations worded in several ways on purpose, and tracebacks that lost their last line.
      .filter(({ label }) => !label.startsWith('grader.') && label !== 'py.conn_refused')

  it('never put two faults together, and give a fault few templates', () => {
    const rows = read()
    const labelsOf = Map.groupBy(rows, ({ text }) => normaliseMessage(text))
    const mixed = [...labelsOf].filter(([, members]) => new Set(members.map(({ label }) => label)).size > 1)
    assert.deepEqual(
      mixed.map(([template]) => template),
      [],
    )
    const labels = new Set(rows.map(({ label }) => label)).size
    assert.ok(labelsOf.size < 2.2 * labels, `${labelsOf.size} templates of ${rows.length} messages, ${labels} faults`)
  })
})
