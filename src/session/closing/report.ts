import type { RecordingReport } from '../recording/recording-sink.ts'
import type { ConnectionReport, TransferOutcome, Usage } from '../../parts/index.ts'
import { formatReport, type FormatOptions } from '../../report/index.ts'
import type { Ask, ErrorReport, ScopeReport } from '../../scope/index.ts'
import type { HistoryItem } from '../history/history-item.ts'
import { turnStages, type TurnLatency, type TurnStage } from '../turn-timing.ts'
import type { Answered, MessageOutcome } from '../pickup/answered.ts'
import type { CallEnding, CloseReason } from './close-reason.ts'
import type { CostReport } from './cost.ts'

/** The timing of one answered turn, in milliseconds. */
export interface TurnReport extends Omit<TurnLatency, 'ms'> {
  /** From the end of the user's speech to the first sound that the caller heard: the sum of `stages`. */
  readonly latency: number
  /** When the user stopped, counted from the start of the session. */
  readonly at: number
}

/** Something that failed during the call. */
export interface SessionError {
  /** The part, hook, listener or tool: `llm`, `tts`, `line`, `enter hook of 'desk'`. */
  readonly where: string
  /** When it failed, counted from the start of the session. */
  readonly at: number
  readonly error: ErrorReport
}

/** A transfer of the caller to a person (TR3). */
export interface TransferReport {
  readonly to: string
  readonly outcome: TransferOutcome
  /** Why it failed, as far as it is known. */
  readonly why?: string
  /** When it began, counted from the start of the session. */
  readonly at: number
  /** How long it took until the outcome was known, in milliseconds. Absent if the session closed before. */
  readonly took?: number
  /** The conversation with the person, in a warm transfer. Absent if nobody answered. */
  readonly consultation?: ConsultationReport
}

/** What the agent and a person said before the caller was connected, from the report of their session (TR4). */
export interface ConsultationReport extends Pick<
  SessionReport,
  'id' | 'reason' | 'lived' | 'clean' | 'errors' | 'transcript'
> {}

/** Who answered the call (MD1). */
export interface AnsweredReport extends Pick<Answered, 'by' | 'how' | 'kind'> {
  /** When it was asked for, counted from the start of the session. */
  readonly at: number
  /** How long it took to find out, in milliseconds. Absent if the session closed before. */
  readonly took?: number
  /** What the carrier said after that, and when. */
  readonly later?: { readonly by: Answered['by']; readonly at: number }
}

/** A message for an answering machine (MD7). */
export interface MessageReport extends Omit<MessageOutcome, 'error'> {
  /** When it was asked for, counted from the start of the session. */
  readonly at: number
  /** How long it took until it was left, in milliseconds. Absent if the session closed before. */
  readonly took?: number
}

/** A guardrail objected to what the user or the agent said. */
export interface GuardrailReport {
  readonly name: string
  readonly on: 'input' | 'output'
  readonly verdict: string
}

/**
 * The report of a session: plain JSON, frozen, the same object for every caller (CL13). Times are in milliseconds; in
 * `scope` they count from the request to close.
 */
export interface SessionReport {
  /** Incremented when a field changes its meaning, not when a field is added. */
  readonly version: 1
  readonly id: string
  readonly reason: CloseReason
  /** How the call ended. `clean` is how the close went: a caller who closes the tab is `lost`, and the close may be clean. */
  readonly ended: CallEnding
  /** Who requested the close, if given. */
  readonly by?: string
  /** What failed, if the reason is `error` or `start-failed`. */
  readonly error?: ErrorReport
  /** When the session was started, in ISO 8601. Absent if it never was. */
  readonly startedAt?: string
  /** When the close was requested, in ISO 8601. */
  readonly askedAt: string
  /** From the start to the request to close. */
  readonly lived: number
  /** From the request to close to this report. */
  readonly took: number
  readonly closeTimeout: number
  /** True only if nothing failed during the call, and the close dropped, forced and abandoned nothing (CL13). */
  readonly clean: boolean
  /** Later requests to end the session. A goodbye that was cut off was requested earlier: its time is negative. */
  readonly alsoAsked: readonly Ask[]
  /** What failed during the call, oldest first. Lists the first 100; `errorCount` counts all. */
  readonly errors: readonly SessionError[]
  readonly errorCount: number
  readonly guardrails: readonly GuardrailReport[]
  readonly connections: readonly ConnectionReport[]
  /** What the whole call used, and in `models` what each model used, by the name of the part. */
  readonly usage: Usage & {
    readonly toolCalls: number
    readonly turns: number
    readonly models: Readonly<Record<string, Usage>>
  }
  /** What the models cost. Absent if the session has no prices. */
  readonly cost?: CostReport
  readonly turns: readonly TurnReport[]
  /** What was said, as far as it was heard, and done. */
  readonly transcript: readonly HistoryItem[]
  /** To whom the caller was transferred, or was to be. Absent if to nobody. */
  readonly transfers?: readonly TransferReport[]
  /** Who answered the call. Absent if that was not asked for. */
  readonly answered?: AnsweredReport
  /** Messages for an answering machine. Absent if there are none. */
  readonly messages?: readonly MessageReport[]
  /** Several if the call went on in another process. Absent if the call was not recorded. */
  readonly recordings?: readonly RecordingReport[]
  /** Every step and task of the close. */
  readonly scope: ScopeReport
}

export interface FormatSessionOptions extends FormatOptions {
  /** Whether to print the transcript, which is private. Default: false. */
  transcript?: boolean
}

/** How many errors are printed. */
const SHOWN_ERRORS = 5

/** Formats a report for a terminal: the waterfall of the close, then a summary of the session. */
export function formatSession(report: SessionReport, options: FormatSessionOptions = {}): string {
  const { usage, turns, connections, transcript, error, errors } = report
  // A session in which something failed is not clean, even if its scope closed cleanly.
  const lines = [formatReport({ ...report.scope, clean: report.clean }, options), '']
  const count = (name: string, value: number | undefined): string[] => (value ? [`${value} ${name}`] : [])
  const used = [
    ...count('turns', usage.turns),
    ...count('tool calls', usage.toolCalls),
    ...count('tokens in', usage.inputTokens),
    ...count('tokens out', usage.outputTokens),
    ...count('sentences in other words', usage.deviations),
    ...(report.cost ? [formatCost(report.cost)] : []),
  ]
  lines.push(`  session ${report.id} · ${report.reason}${used.length > 0 ? ` · ${used.join(' · ')}` : ''}`)
  if (error) lines.push(`  ${error.name}: ${error.message}`)
  for (const each of errors.slice(0, SHOWN_ERRORS))
    if (each.error.message !== error?.message)
      lines.push(`  ${each.where}: ${each.error.name}: ${each.error.message}`)
  if (report.errorCount > SHOWN_ERRORS) lines.push(`  and ${report.errorCount - SHOWN_ERRORS} more errors`)
  const latency = formatLatency(turns)
  if (latency !== undefined) lines.push(`  ${latency}`)
  const { answered, messages = [] } = report
  if (answered) lines.push(`  answered by ${answered.by} (${answered.kind ?? answered.how})`)
  for (const { heard, after } of messages)
    lines.push(`  left a message after ${after}: ${heard ? 'heard' : 'not confirmed'}`)
  for (const { name, how, code, reason, retries } of connections) {
    const detail = [code, reason, retries > 0 ? `${retries} retries` : undefined].filter(
      (part) => part !== undefined,
    )
    lines.push(`  ${name}: ${how}${detail.length > 0 ? ` (${detail.join(', ')})` : ''}`)
  }
  if (options.transcript) for (const item of transcript) lines.push(`  ${formatItem(item)}`)
  for (const transfer of report.transfers ?? []) lines.push(...formatTransfer(transfer, options))
  return lines.join('\n')
}

/** How long the caller waited for answers, and the stage that took most of the time. Undefined without an answer. */
export function formatLatency(turns: SessionReport['turns']): string | undefined {
  if (turns.length === 0) return undefined
  const latencies = turns.map(({ latency }) => latency).toSorted((a, b) => a - b)
  const median = latencies[Math.floor(latencies.length / 2)]!
  const slowest = slowestStage(turns)
  const most = slowest ? `; most of it for ${slowest.stage}, ${slowest.ms} ms on average` : ''
  return `answered after ${median} ms in the median, ${latencies.at(-1)!} ms at most${most}`
}

function formatTransfer(
  { to, outcome, why, consultation }: TransferReport,
  { transcript }: FormatSessionOptions,
): string[] {
  const talked = consultation && `, after ${Math.round(consultation.lived / 1_000)} s with the agent`
  const said = transcript ? (consultation?.transcript ?? []) : []
  const reason = why === undefined ? '' : `: ${why}`
  return [
    `  transfer to ${to}: ${outcome}${reason}${talked ?? ''}`,
    ...said.map((item) => `    ${formatItem(item)}`),
  ]
}

/** The stage in which the callers of these turns waited longest, and for how long on average. */
export function slowestStage(
  turns: readonly Pick<TurnLatency, 'stages'>[],
): { readonly stage: TurnStage; readonly ms: number } | undefined {
  const sums = turnStages.map((stage) => ({
    stage,
    // Reports that an earlier version has stored have no stages.
    ms: turns.reduce((sum, { stages }) => sum + ((stages as Partial<typeof stages>)?.[stage] ?? 0), 0),
  }))
  const [slowest] = sums.toSorted((one, other) => other.ms - one.ms)
  return slowest && slowest.ms > 0
    ? { stage: slowest.stage, ms: Math.round(slowest.ms / turns.length) }
    : undefined
}

/** A cost that is not known at all is not 0. */
function formatCost({ total, models, unpriced, currency }: CostReport): string {
  const names = unpriced.join(', ')
  if (Object.keys(models).length === 0 && unpriced.length > 0) return `cost unknown: no price for ${names}`
  const missing = unpriced.length > 0 ? ` without ${names}` : ''
  return `cost ${Number(total.toPrecision(4))}${currency === undefined ? '' : ` ${currency}`}${missing}`
}

function formatItem(item: HistoryItem): string {
  if (item.type === 'message') return `${item.role}: ${item.text}${item.interrupted ? ' —' : ''}`
  if (item.type === 'handoff') return `${item.from} hands over to ${item.to}`
  if (item.type === 'keys') return `pressed ${item.keys}${item.interrupted ? ' —' : ''}`
  return `${item.name}(${item.input}) → ${item.result?.output ?? 'no result'}`
}
