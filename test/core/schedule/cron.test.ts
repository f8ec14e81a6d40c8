import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CronExpressionParser } from 'cron-parser'
import fc from 'fast-check'
import cron from 'node-cron'
import { cronProblem } from '../../../src/core/schedule/cron.ts'

const problem = (expression: string, timezone = 'UTC') => cronProblem(expression, timezone)?.message ?? null

describe('cronProblem', () => {
  it('names the wrong field, its value and what was expected', () => {
    assert.equal(problem('99 9 * * MON'), 'cron "99 9 * * MON": minute 99, expected 0-59')
    assert.equal(problem('0 9 * * MONDAY'), 'cron "0 9 * * MONDAY": day of week MONDAY, expected 0-7 or SUN-SAT')
    assert.equal(problem('0 22-2 * * *'), 'cron "0 22-2 * * *": hour 22-2, expected a range that rises')
    assert.equal(problem('*/70 * * * *'), 'cron "*/70 * * * *": minute step 70, expected 1-59')
  })

  it('names each of six wrong fields', () => {
    assert.equal(
      problem('61 60 25 32 13 8'),
      'cron "61 60 25 32 13 8": second 61, expected 0-59; minute 60, expected 0-59; hour 25, expected 0-23; ' +
        'day of month 32, expected 1-31; month 13, expected 1-12 or JAN-DEC; day of week 8, expected 0-7 or SUN-SAT',
    )
  })

  it('says how many fields there should be', () => {
    assert.match(problem('0 9 * *') ?? '', /4 fields, expected 5 \(minute, hour, .*\), or 6 with seconds first/)
    assert.match(problem('') ?? '', /0 fields/)
  })

  it('refuses a date that never comes and takes one that seldom does', () => {
    assert.equal(problem('0 0 30 2 *'), 'cron "0 0 30 2 *": day of month 30 never comes in month 2')
    assert.equal(problem('0 0 31 4,6 *'), 'cron "0 0 31 4,6 *": day of month 31 never comes in month 4,6')
    assert.equal(problem('0 0 29 FEB *'), null)
  })

  it('refuses a time zone that is none', () => {
    assert.deepEqual(cronProblem('0 9 * * *', 'Europe/Nowhere'), {
      key: 'timezone',
      message: 'time zone "Europe/Nowhere" is not known, expected an IANA name such as Europe/Berlin or UTC',
    })
    assert.notEqual(problem('0 9 * * *', ''), null)
    assert.equal(problem('0 9 * * MON', 'Europe/Berlin'), null)
  })

  it('never throws, and what it takes both libraries take', () => {
    const part = fc.oneof(
      fc.constantFrom('*', '*/2', '*/15', '1-5', '1-9/3', '1,5,7', 'MON', 'JAN-MAR', 'L', '?', '#', '5-1', ''),
      fc.integer({ min: -2, max: 70 }).map(String),
      fc.string({ maxLength: 4 }),
    )
    const expression = fc.oneof(
      fc.array(part, { minLength: 5, maxLength: 6 }).map((parts) => parts.join(' ')),
      fc.string({ maxLength: 300 }),
    )
    fc.assert(
      fc.property(expression, (text) => {
        if (problem(text) !== null) return
        assert.ok(cron.validate(text), `node-cron refuses ${text}`)
        CronExpressionParser.parse(text, { tz: 'UTC', currentDate: new Date(0) }).next()
      }),
      { numRuns: 500 },
    )
  })
})
