/**
 * Shows how far long work is: on a terminal a bar that redraws itself, with rate and time left; elsewhere a line now and
 * then. It writes to standard error, so that what a command prints can be piped.
 */
import type { Io } from './command.ts'

const BAR_CHARACTERS = 24
const REDRAW_MS = 100
const LINE_EVERY_MS = 10_000

export type Progress = {
  update(done: number, total: number, note?: string): void
  /** Ends the line; what was drawn stays. */
  end(note?: string): void
}

export function makeProgress(io: Pick<Io, 'err' | 'isTerminal' | 'clock' | 'columns'>, title: string): Progress {
  const begun = io.clock.now().getTime()
  let shownAt = Number.NEGATIVE_INFINITY
  let last = ''
  return {
    update(done, total, note = '') {
      const now = io.clock.now().getTime()
      last = progressLine({ title, done, total, elapsedMs: now - begun, note })
      if (now - shownAt < (io.isTerminal ? REDRAW_MS : LINE_EVERY_MS)) return
      shownAt = now
      io.err(io.isTerminal ? `\r\x1b[K${last.slice(0, io.columns - 1)}` : `${last}\n`)
    },
    end(note) {
      const line = note ?? last
      if (line !== '') io.err(io.isTerminal ? `\r\x1b[K${line.slice(0, io.columns - 1)}\n` : `${line}\n`)
    },
  }
}

export function progressLine(at: {
  readonly title: string
  readonly done: number
  readonly total: number
  readonly elapsedMs: number
  readonly note: string
}): string {
  const share = at.total === 0 ? 1 : Math.min(1, at.done / at.total)
  const filled = Math.round(share * BAR_CHARACTERS)
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_CHARACTERS - filled)
  const seconds = at.elapsedMs / 1000
  const rate = seconds > 0 ? at.done / seconds : 0
  const left = rate > 0 ? ` ${timeText((at.total - at.done) / rate)} left` : ''
  return `${at.title} ${bar} ${at.done}/${at.total}  ${rate.toFixed(1)}/s${at.done < at.total ? left : ''}${at.note === '' ? '' : `  ${at.note}`}`
}

function timeText(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${Math.ceil(seconds % 60)}s`
  return `${Math.floor(seconds / 3600)}h ${Math.ceil((seconds % 3600) / 60)}m`
}
