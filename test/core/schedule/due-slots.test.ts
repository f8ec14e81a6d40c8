import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { dueSlots, lastSlot, nextSlot, SLOTS_MAX } from '../../../src/core/schedule/due-slots.ts'

function slots(cron: string, timezone: string, since: string, now: string): readonly string[] {
  const due = dueSlots({ cron, timezone, since: new Date(since), now: new Date(now) })
  return due.slots.map(({ from, to }) => `${minute(from)} → ${minute(to)}`)
}

function minute(date: Date): string {
  return date.toISOString().slice(0, 16)
}

describe('dueSlots', () => {
  it('gives the window from the slot before to the slot', () => {
    assert.deepEqual(slots('0 9 * * MON', 'Europe/Berlin', '2026-11-24T00:00Z', '2026-11-30T08:00:00Z'), [
      '2026-11-23T08:00 → 2026-11-30T08:00',
    ])
  })

  it('gives nothing before the slot, and nothing a second time', () => {
    assert.deepEqual(slots('0 9 * * *', 'UTC', '2026-11-24T09:00Z', '2026-11-25T08:59:59.999Z'), [])
    assert.deepEqual(slots('0 9 * * *', 'UTC', '2026-11-25T09:00Z', '2026-11-25T09:00Z'), [])
  })

  it('falls due once, after the jump, where spring takes the local time away', () => {
    assert.deepEqual(slots('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', '2026-03-30T12:00Z'), [
      '2026-03-28T01:30 → 2026-03-29T01:30',
      '2026-03-29T01:30 → 2026-03-30T00:30',
    ])
  })

  it('falls due once where autumn gives the local time twice', () => {
    assert.deepEqual(slots('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', '2026-10-26T12:00Z'), [
      '2026-10-24T00:30 → 2026-10-25T00:30',
      '2026-10-25T00:30 → 2026-10-26T01:30',
    ])
    const inTheSecondHour = slots('30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30Z', '2026-10-25T01:45Z')
    assert.deepEqual(inTheSecondHour, [])
  })

  it('runs through every real hour of a day with 25', () => {
    const hours = slots('0 * * * *', 'Europe/Berlin', '2026-10-24T22:00Z', '2026-10-25T23:00Z')
    assert.equal(hours.length, 25)
  })

  it('stops telling missed slots apart after a while, and says so', () => {
    const schedule = { cron: '* * * * * *', timezone: 'America/New_York' }
    const due = dueSlots({ ...schedule, since: new Date(0), now: new Date('2026-11-30T08:00:00.500Z') })
    assert.equal(due.slots.length, SLOTS_MAX)
    assert.ok(due.more)
    assert.equal(due.slots.at(-1)?.to.toISOString(), '2026-11-30T08:00:00.000Z')
  })

  it('makes windows that touch, wherever one starts to look', () => {
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu')
    const crons = fc.constantFrom('30 2 * * *', '0 9 * * MON', '*/20 * * * *', '0 0 1,15 * *', '15 1-3 * * SUN')
    const start = fc.date({ min: new Date('2025-01-01'), max: new Date('2028-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(zones, crons, start, fc.integer({ min: 0, max: 40 * 24 * 60 }), (timezone, cron, since, minutes) => {
        const now = new Date(since.getTime() + minutes * 60_000)
        const whole = dueSlots({ cron, timezone, since, now })
        for (const [i, slot] of whole.slots.entries()) {
          assert.ok(slot.from < slot.to && slot.to > since && slot.to <= now)
          if (i > 0) assert.equal(+slot.from, Number(whole.slots[i - 1]?.to))
        }
        const last = lastSlot({ cron, timezone, now })
        if (whole.slots.length > 0) assert.deepEqual(last, whole.slots.at(-1))
        assert.ok(last.to <= now && nextSlot({ cron, timezone, now }) > now)
      }),
      { numRuns: 60 },
    )
  })
})
