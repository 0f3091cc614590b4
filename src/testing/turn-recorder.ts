import { describeError } from '../scope/index.ts'
import type { HistoryItem, Session, Speech, ToolItem } from '../session/index.ts'
import type { ToolObserver } from './mock-tools.ts'
import type { TurnEntry, TurnEvent, TurnToolCall } from './turn-event.ts'
import { Turn, type TurnSource } from './turn-record.ts'
import { explainLimit } from './virtual-limit.ts'

export interface TurnRecorderOptions {
  /** Whether a step waits for something real if it reaches its time limit: time is virtual, and no fault made it late. */
  readonly waitsForReal?: (step: string) => boolean
}

/** An event that is not in the history: its turn, and the history item it comes after. */
interface Note {
  readonly key: string
  readonly turn: Turn
  readonly after: number
  readonly event: TurnEvent
}

/** The values a tool received and returned. The history has them only as text. */
interface Values {
  readonly input: unknown
  readonly mocked: boolean
  output?: { readonly value: unknown }
}

/**
 * Records the turns of a session. Messages, tool calls and handoffs are read from the session's history. Verdicts, errors
 * and other events are inserted between them.
 */
export class TurnRecorder implements TurnSource, Pick<ToolObserver, 'ran' | 'returned'> {
  readonly turns: Turn[] = []
  /** The number of the latest history item when each turn began. */
  readonly #beginnings = new Map<Turn, number>()
  /** The turn in which each speech began. Its latency may be known only in the next one. */
  readonly #answered = new WeakMap<Speech, Turn>()
  readonly #latencies = new Map<Turn, number>()
  readonly #notes: Note[] = []
  /** By call id, which is the id of the history item. */
  readonly #values = new Map<string, Values>()
  /** A copy of the history's items, because the history drops the oldest ones. */
  readonly #items = new Map<string, HistoryItem>()
  readonly #waitsForReal: (step: string) => boolean
  #session!: Session

  constructor({ waitsForReal = () => false }: TurnRecorderOptions = {}) {
    this.#waitsForReal = waitsForReal
  }

  watch(session: Session): void {
    this.#session = session
    session.on('speaking', ({ speech }) => this.#answered.set(speech, this.turns.at(-1)!))
    session.on('latency', ({ ms, speech }) => this.#latencies.set(this.#answered.get(speech)!, ms))
    session.on('guardrail', (event) => this.#note({ type: 'guardrail', ...event }))
    session.on('approval', ({ name, input }) => this.#note({ type: 'approval', name, input }))
    session.on('digits', (event) => this.#note({ type: 'digits', ...event }))
    session.on('error', (event) => this.#note({ type: 'error', ...event }))
    session.on('closed', ({ reason }) => this.#note({ type: 'closed', reason }))
    session.on('spoken', () => this.#copyItems())
    session.on('pressed', () => this.#copyItems())
    session.on('tool-done', () => this.#copyItems())
  }

  /** Starts a new turn with an action of the caller. */
  begin(opening: string): Turn {
    const turn = new Turn(opening, this)
    this.#beginnings.set(turn, this.#session.history.toJSON().lastId)
    this.turns.push(turn)
    return turn
  }

  entries(turn: Turn): readonly TurnEntry[] {
    this.#copyItems()
    const next = this.turns[this.turns.indexOf(turn) + 1]
    const from = this.#beginnings.get(turn)!
    const to = next === undefined ? Infinity : this.#beginnings.get(next)!
    const rows: { readonly place: number; readonly entry: TurnEntry }[] = []
    for (const item of this.#items.values()) {
      const place = numberOf(item)
      const event = this.#eventOf(item)
      if (event && place > from && place <= to) rows.push({ place, entry: { key: item.id, event } })
    }
    for (const { key, turn: where, after, event } of this.#notes)
      if (where === turn) rows.push({ place: after + 0.5, entry: { key, event } })
    return rows
      .toSorted((one, other) => one.place - other.place)
      .map(({ entry: { key, event } }) => ({ key, event, ...this.#why(event) }))
  }

  /** Why code of the agent reached a time limit, if it waits for something that virtual time does not wait for (SI4). */
  #why(event: TurnEvent): { readonly why?: string } {
    const late =
      event.type === 'toolCall' && event.how === 'failed' && !event.mocked
        ? { step: event.name, message: String(event.output) }
        : event.type === 'error'
          ? { step: event.where, message: describeError(event.error).message }
          : undefined
    if (!late || !this.#waitsForReal(late.step)) return {}
    const why = explainLimit(late.message)
    return why === undefined ? {} : { why }
  }

  latency(turn: Turn): number | undefined {
    return this.#latencies.get(turn)
  }

  ran(call: string, input: unknown, mocked: boolean): void {
    this.#values.set(call, { input, mocked })
  }

  returned(call: string, value: unknown): void {
    const values = this.#values.get(call)
    if (values) values.output = { value }
  }

  #copyItems(): void {
    for (const item of this.#session.history.items) this.#items.set(item.id, item)
  }

  #note(event: TurnEvent): void {
    const after = this.#session.history.toJSON().lastId
    this.#notes.push({ key: `note ${this.#notes.length}`, turn: this.turns.at(-1)!, after, event })
  }

  #eventOf(item: HistoryItem): TurnEvent | undefined {
    if (item.type === 'tool') return this.#callOf(item)
    if (item.type === 'handoff') return { type: 'handoff', from: item.from, to: item.to }
    const { agent, interrupted = false } = item
    if (item.type === 'keys') return { type: 'keys', keys: item.keys, agent, interrupted }
    const { role } = item
    if (role === 'user') return undefined
    return { type: 'message', text: item.text.trim(), agent, interrupted }
  }

  #callOf({ id, name, input, agent, result }: ToolItem): TurnToolCall {
    const values = this.#values.get(id)
    const how = result ? (result.failed ? 'failed' : 'done') : 'running'
    return {
      type: 'toolCall',
      name,
      agent,
      how,
      mocked: values?.mocked ?? false,
      input: values ? values.input : parsed(input),
      // A late result does not count.
      output: how === 'done' && values?.output ? values.output.value : result?.output,
    }
  }
}

/** The number of an item, which determines its order. Items of a resumed history may have ids without a number. */
function numberOf({ id }: HistoryItem): number {
  const [, digits] = /^i(\d+)$/.exec(id) ?? []
  return Number(digits ?? 0)
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}
