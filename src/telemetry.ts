/**
 * Our own log lines: one JSON object a line on standard error, or a short readable line on a terminal.
 *
 * Text that comes from outside is redacted by whoever logs it; nothing here looks inside.
 */
import type { Clock, Log } from './core/ports.ts'

export type LogSink = { readonly isTTY?: boolean | undefined; write(text: string): unknown }

/** `quiet` drops `info` lines, for commands whose own output is the point. */
export function makeLog(sink: LogSink, clock: Clock, { quiet = false }: { readonly quiet?: boolean } = {}): Log {
  return (level, message, fields = {}) => {
    if (quiet && level === 'info') return
    const at = clock.now().toISOString()
    if (!sink.isTTY) {
      sink.write(`${JSON.stringify({ at, level, message, ...fields })}\n`)
      return
    }
    const rest = Object.entries(fields).map(
      ([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    sink.write(`${at.slice(11, 19)} ${level === 'info' ? '' : `${level}: `}${message}${rest.join('')}\n`)
  }
}
