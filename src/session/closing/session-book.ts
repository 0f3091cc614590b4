import type { RecordingReport } from '../recording/recording-sink.ts'
import type { ConnectionReport, PartUsage, Usage } from '../../parts/index.ts'
import { describeError, type Ask, type Clock, type ErrorReport, type ScopeReport } from '../../scope/index.ts'
import type { History } from '../history/history.ts'
import { limits } from '../limits.ts'
import type { SpeechTiming, TurnTiming } from '../turn-timing.ts'
import { endings, type CloseReason } from './close-reason.ts'
import { costOf, type CostReport, type Prices } from './cost.ts'
import type { MessageOutcome } from '../pickup/answered.ts'
import type {
  AnsweredReport,
  ConsultationReport,
  GuardrailReport,
  MessageReport,
  SessionError,
  SessionReport,
  TransferReport,
  TurnReport,
} from './report.ts'

/** Maximum number of connections in a report, so that a part that opens one per sentence cannot make it grow forever. */
const MAX_CONNECTIONS = 200

/** A transfer, in the book. */
export interface TransferEntry {
  /** Records the outcome. Returns false if there is one. */
  readonly finish: (result: Pick<TransferReport, 'outcome' | 'why'>, now: number) => boolean
  /** Records the conversation with the person. */
  readonly consulted: (consultation: ConsultationReport) => void
}

/** Collects what happens in a session, and creates its report. */
export class SessionBook {
  readonly #id: string
  readonly #history: History
  readonly #connections: ConnectionReport[] = []
  #prices: Prices | undefined
  readonly #currency: string | undefined
  #error: ErrorReport | undefined
  readonly #errors: SessionError[] = []
  #errorCount = 0
  readonly #guardrails: GuardrailReport[] = []
  readonly #transfers: TransferReport[] = []
  readonly #messages: MessageReport[] = []
  #answered: AnsweredReport | undefined
  readonly #line: string
  #startDate: number | undefined
  /** When the session was started, by its clock. */
  startedAt = 0
  /** The timing of each answered turn. */
  readonly turns: SpeechTiming[] = []
  /** How many turns the user has taken. */
  turnCount = 0
  toolCalls = 0
  /** Handoffs and nested tasks since the caller's last turn (AG6). */
  handoffs = 0
  /** Milliseconds of sound the agent has made. */
  sound = 0
  /** What each model has used, by the name of the part. */
  readonly models = new Map<string, Usage>()
  /** The turn whose answer the caller waits for. Unset at its first sound. */
  waiting: TurnTiming | undefined

  /** `line` is the name of the line, which is also the name of its connection. */
  constructor(id: string, line: string, history: History, prices?: Prices, currency?: string) {
    this.#id = id
    this.#currency = currency
    this.#line = line
    this.#history = history
    if (prices) this.addPrices(prices)
  }

  started(clock: Clock): void {
    this.startedAt = clock.now()
    this.#startDate = clock.date()
  }

  /** Records something that failed during the call. */
  failed(where: string, error: unknown, now: number): void {
    this.#errorCount++
    if (this.#errors.length >= limits.reported) return
    this.#errors.push(Object.freeze({ where, at: now - this.startedAt, error: describeError(error) }))
  }

  /** Records that a guardrail objected. */
  objected(verdict: GuardrailReport): void {
    if (this.#guardrails.length < limits.reported) this.#guardrails.push(Object.freeze(verdict))
  }

  /** A transfer begins. Of its outcomes, the first one counts. */
  transferring(to: string, now: number): TransferEntry {
    const index = this.#transfers.push({ to, at: now - this.startedAt, outcome: 'unknown' }) - 1
    return {
      finish: (result, endedAt) => {
        const begun = this.#transfers[index]!
        if (begun.took !== undefined) return false
        this.#transfers[index] = { ...begun, ...result, took: endedAt - now }
        return true
      },
      consulted: (consultation) => {
        this.#transfers[index] = { ...this.#transfers[index]!, consultation }
      },
    }
  }

  /** Begins to find out who answered. Call the returned function with what was found out. */
  detecting(now: number): (found: Pick<AnsweredReport, 'by' | 'how' | 'kind'>, took: number) => void {
    const at = now - this.startedAt
    this.#answered = { by: 'unknown', how: 'closed', at }
    return (found, took) => {
      this.#answered = { ...found, at, took }
    }
  }

  /** The carrier says who answered, after that was found out. */
  answeredLater(by: AnsweredReport['by'], now: number): void {
    if (this.#answered) this.#answered = { ...this.#answered, later: { by, at: now - this.startedAt } }
  }

  /** Begins to leave a message. Call the returned function with its outcome. */
  leaving(now: number): (outcome: MessageOutcome, now: number) => void {
    const at = now - this.startedAt
    const index = this.#messages.push({ heard: false, how: 'failed', after: 'timeout', attempts: 0, at }) - 1
    return ({ heard, how, after, attempts }, endedAt) => {
      this.#messages[index] = { heard, how, after, attempts, at, took: endedAt - now }
    }
  }

  /** Records why the session failed. The first error counts. */
  fail(error: unknown): void {
    this.#error ??= describeError(error)
  }

  /** Records what a model used. `name` is that of the part that reports it. */
  used({ by, ...usage }: PartUsage, name: string): void {
    const own = typeof by === 'string' ? by : name
    const model = this.models.has(own) || this.models.size < limits.models ? own : 'other'
    this.models.set(model, sumOf([this.models.get(model) ?? {}, usage]))
  }

  /** Adds prices for models that have none. */
  addPrices(prices: Prices): void {
    this.#prices = { ...prices, ...this.#prices }
  }

  /** A connection has ended for good. Beyond the limit, connections that ended well are dropped first. */
  readonly connection = (ended: ConnectionReport): void => {
    this.#connections.push(Object.freeze({ ...ended }))
    if (this.#connections.length <= MAX_CONNECTIONS) return
    const fine = this.#connections.findIndex(({ how }) => how === 'acknowledged' || how === 'closed')
    this.#connections.splice(Math.max(0, fine), 1)
  }

  get usage(): SessionReport['usage'] {
    const models = [...this.models].map(([name, usage]) => [name, sumOf([usage])] as const)
    return {
      ...sumOf(this.models.values()),
      toolCalls: this.toolCalls,
      turns: this.turnCount,
      models: Object.freeze(Object.fromEntries(models)),
    }
  }

  /** What the models have cost so far. Undefined without prices. */
  get cost(): CostReport | undefined {
    return this.#prices && costOf(this.models, this.#prices, this.#currency)
  }

  /** `before` lists requests for a graceful end that was cut off. */
  write(
    reason: CloseReason,
    scope: ScopeReport,
    before: readonly Ask[],
    recording?: RecordingReport,
  ): SessionReport {
    const { cost } = this
    const started = this.#startDate
    const isLost = reason === 'caller-lost'
    const cut = this.#connections.filter(({ how }) => how === 'dropped' || how === 'aborted')
    // A caller who leaves without hanging up drops the line. That says nothing about the close.
    const dropped = cut.filter(({ name }) => !isLost || name !== this.#line)
    const failed =
      this.#error !== undefined ||
      this.#errorCount > 0 ||
      this.#transfers.some(({ consultation }) => consultation?.clean === false)
    const report: SessionReport = {
      version: 1,
      id: this.#id,
      reason,
      ended: endings[reason],
      ...(scope.by === undefined ? {} : { by: scope.by }),
      ...(this.#error ? { error: this.#error } : {}),
      ...(started === undefined ? {} : { startedAt: new Date(started).toISOString() }),
      askedAt: scope.askedAt,
      lived: scope.lived,
      took: scope.took,
      closeTimeout: scope.closeTimeout,
      clean: scope.clean && dropped.length === 0 && !failed && reason !== 'host-lost',
      alsoAsked: Object.freeze([...before, ...scope.alsoAsked]),
      errors: Object.freeze([...this.#errors]),
      errorCount: this.#errorCount,
      guardrails: Object.freeze([...this.#guardrails]),
      connections: Object.freeze([...this.#connections]),
      usage: Object.freeze(this.usage),
      ...(cost ? { cost } : {}),
      turns: Object.freeze(this.turns.map((turn) => this.#writeTurn(turn))),
      transcript: this.#history.items,
      ...(this.#transfers.length > 0 ? { transfers: this.#writeTransfers(reason) } : {}),
      ...(this.#answered ? { answered: Object.freeze(this.#answered) } : {}),
      ...(this.#messages.length > 0
        ? { messages: Object.freeze(this.#messages.map((each) => Object.freeze(each))) }
        : {}),
      ...(recording ? { recordings: Object.freeze([Object.freeze(recording)]) } : {}),
      scope,
    }
    return Object.freeze(report)
  }

  #writeTurn({ latency, turn }: SpeechTiming): TurnReport {
    const { ms, ...rest } = latency
    return Object.freeze({ latency: ms, at: Math.round(turn.stopped - this.startedAt), ...rest })
  }

  /** A transfer that was cut off ended with the caller, or goes on without us. */
  #writeTransfers(reason: CloseReason): readonly TransferReport[] {
    const gone = reason === 'caller-hung-up' || reason === 'caller-lost'
    const transfers = this.#transfers.map((each) =>
      Object.freeze(each.took === undefined && gone ? { ...each, outcome: 'caller-gone' as const } : each),
    )
    return Object.freeze(transfers)
  }
}

/** Adds up the numbers, without the noise of binary fractions. */
function sumOf(usages: Iterable<Usage>): Usage {
  const sums: Record<string, number> = {}
  for (const usage of usages)
    for (const [name, value] of Object.entries(usage))
      if (Number.isFinite(value)) sums[name] = Number(((sums[name] ?? 0) + Number(value)).toPrecision(12))
  return Object.freeze(sums)
}
