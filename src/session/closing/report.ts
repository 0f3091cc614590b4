import type { ConnectionReport, Usage } from '../../parts/index.ts'
import { formatReport, type FormatOptions } from '../../report/index.ts'
import type { Ask, ErrorReport, ScopeReport } from '../../scope/index.ts'
import type { HistoryItem } from '../history/history-item.ts'
import type { CloseReason } from './close-reason.ts'

/** How one turn went, in milliseconds. */
export interface TurnReport {
  /** From the end of the user's speech to the first sound of the answer. */
  readonly latency: number
  /** When the user stopped, counted from the start of the session. */
  readonly at: number
}

/**
 * The report of a session: plain JSON, frozen, the same object for everybody (CL13). Times are milliseconds; in `scope`
 * they count from the moment closing was asked for.
 */
export interface SessionReport {
  /** Grows when a field changes its meaning; new fields alone do not change it. */
  readonly version: 1
  readonly id: string
  readonly reason: CloseReason
  /** Who asked, if they said. */
  readonly by?: string
  /** What went wrong, if the reason is `error` or `start-failed`. */
  readonly error?: ErrorReport
  /** When the session was started, as ISO 8601; absent if it never was. */
  readonly startedAt?: string
  readonly askedAt: string
  /** From the start until closing was asked for. */
  readonly lived: number
  /** From the ask to this report. */
  readonly took: number
  readonly closeTimeout: number
  /** True only if nothing was dropped, forced, failed or abandoned. */
  readonly clean: boolean
  /** Who else wanted it to end. One whose goodbye was cut off asked before, at a negative time. */
  readonly alsoAsked: readonly Ask[]
  readonly connections: readonly ConnectionReport[]
  readonly usage: Usage & { readonly toolCalls: number; readonly turns: number }
  readonly turns: readonly TurnReport[]
  /** What was said and done, as far as it was heard. */
  readonly transcript: readonly HistoryItem[]
  /** Every step and task of the close. */
  readonly scope: ScopeReport
}

export interface FormatSessionOptions extends FormatOptions {
  /** Print what was said, too. It is private, so it is left out unless asked for. */
  transcript?: boolean
}

/** The report for a terminal: the waterfall of the close, then what the session was. */
export function formatSession(report: SessionReport, options: FormatSessionOptions = {}): string {
  const { usage, turns, connections, transcript, error } = report
  // A drop is no clean end, however well its scope was closed.
  const lines = [formatReport({ ...report.scope, clean: report.clean }, options), '']
  const count = (name: string, value: number | undefined): string[] => (value ? [`${value} ${name}`] : [])
  const used = [
    ...count('turns', usage.turns),
    ...count('tool calls', usage.toolCalls),
    ...count('tokens in', usage.inputTokens),
    ...count('tokens out', usage.outputTokens),
  ]
  lines.push(`  session ${report.id} · ${report.reason}${used.length > 0 ? ` · ${used.join(' · ')}` : ''}`)
  if (error) lines.push(`  ${error.name}: ${error.message}`)
  if (turns.length > 0) {
    const latencies = turns.map(({ latency }) => latency).toSorted((a, b) => a - b)
    const median = latencies[Math.floor(latencies.length / 2)]!
    lines.push(
      `  answered after ${Math.round(median)} ms in the median, ${Math.round(latencies.at(-1)!)} ms at most`,
    )
  }
  for (const { name, how, code, reason, retries } of connections) {
    const detail = [code, reason, retries > 0 ? `${retries} retries` : undefined].filter(
      (part) => part !== undefined,
    )
    lines.push(`  ${name}: ${how}${detail.length > 0 ? ` (${detail.join(', ')})` : ''}`)
  }
  if (options.transcript) for (const item of transcript) lines.push(`  ${tell(item)}`)
  return lines.join('\n')
}

function tell(item: HistoryItem): string {
  if (item.type === 'message') return `${item.role}: ${item.text}${item.interrupted ? ' —' : ''}`
  if (item.type === 'handoff') return `${item.from} hands over to ${item.to}`
  return `${item.name}(${item.input}) → ${item.result?.output ?? 'no result'}`
}
