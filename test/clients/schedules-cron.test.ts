import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { firings, startSchedules } from '../../src/clients/schedules-cron.ts'

const log = () => undefined

describe('schedules', () => {
  it('fires for either of day of month and day of week, as cron has it', () => {
    assert.deepEqual(firings('0 9 1 * MON'), ['0 9 1 * *', '0 9 * * MON'])
    assert.deepEqual(firings('30 0 9 1 * MON'), ['30 0 9 1 * *', '30 0 9 * * MON'])
    assert.deepEqual(firings('0 9 * * MON'), ['0 9 * * MON'])
  })

  it('looks at each firing, one look at a time, and not after it was stopped', async () => {
    let looks = 0
    let at = 0
    const twice = Promise.withResolvers<void>()
    const schedules = startSchedules({
      schedules: [{ name: 'each second', cron: '* * * * * *', timezone: 'Europe/Berlin' }],
      tick: async () => {
        at += 1
        assert.equal(at, 1, 'looks do not overlap')
        await Promise.resolve()
        at -= 1
        looks += 1
        if (looks === 2) twice.resolve()
      },
      log,
    })
    await twice.promise
    await schedules.stop()
    const seen = looks
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(looks, seen)
  })

  it('goes on when a look fails, and logs it', async () => {
    const logged = Promise.withResolvers<unknown>()
    const schedules = startSchedules({
      schedules: [{ name: 'each second', cron: '* * * * * *', timezone: 'UTC' }],
      tick: async () => {
        throw new Error('database gone')
      },
      log: (level, _message, fields) => logged.resolve([level, fields]),
    })
    assert.deepEqual(await logged.promise, ['error', { error: 'Error: database gone' }])
    await schedules.stop()
  })

  it('does not fire at all without schedules', async () => {
    await startSchedules({ schedules: [], tick: () => assert.fail('nothing is due'), log }).stop()
  })
})
