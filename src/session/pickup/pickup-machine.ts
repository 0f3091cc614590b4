import {
  advance,
  changeTimer,
  type TimedState,
  type TimerCommand,
  type TimerEvent,
} from '../../scope/index.ts'
import type { Answered, AnsweredBy } from './answered.ts'
import { judgeGreeting } from './greeting-words.ts'

type PickupTimer = 'decide'

export type PickupEvent = { readonly at: number } & (
  | { readonly type: 'begin'; readonly speaking: boolean }
  /** Somebody or something has begun or ceased to speak, at `since`. */
  | { readonly type: 'speech'; readonly speaks: boolean; readonly since: number }
  /** Everything that has been transcribed so far. */
  | { readonly type: 'words'; readonly text: string }
  | { readonly type: 'tone'; readonly tone: 'beep' | 'fax' }
  /** The carrier's verdict. It may come at any time, more than once, or never. */
  | { readonly type: 'carrier'; readonly by: AnsweredBy }
  /** The answer to `judge`. */
  | { readonly type: 'judged'; readonly by: AnsweredBy | undefined }
  | TimerEvent<PickupTimer>
)

type Finding = Pick<Answered, 'by' | 'how' | 'kind'>

export type PickupCommand =
  | TimerCommand<PickupTimer>
  /** Have these words judged, and answer with `judged`. */
  | { readonly type: 'judge'; readonly text: string }
  | { readonly type: 'settle'; readonly found: Finding }
  /** The carrier said who answered after that was settled. */
  | { readonly type: 'late'; readonly by: AnsweredBy }

export interface PickupSettings {
  readonly greeting: number
  readonly pause: number
  readonly silence: number
  readonly limit: number
  readonly judges: boolean
  /** Whether what is said is transcribed. */
  readonly words: boolean
}

/** Milliseconds of silence that end a long greeting. Machines pause between sentences. */
const LONG_PAUSE = 1_500

/** Milliseconds to wait for the words of a short greeting, which a reply needs anyway: those of a machine may be as short. */
const WORDS = 1_000

/** Milliseconds of a greeting that are a machine's, if its words say nothing: a person would have let the caller speak. */
const MACHINE = 6_000

interface State extends TimedState<PickupTimer> {
  phase: 'new' | 'listening' | 'judging' | 'settled'
  begunAt: number
  /** When the greeting began. */
  spokeAt: number | undefined
  /** Whether something is being said. */
  speaks: boolean
  /** When it was last quiet. */
  quietSince: number
  text: string
  hasCarrier: boolean
}

/**
 * Finds out who answered, by what is heard and by what the carrier says: the first that knows is right. A pure machine: an event
 * goes in, commands come out.
 *
 *   listening ── short greeting, then silence ──────────────────▶ settled: person
 *      │ ├────── phrase of a machine or a menu, beep, fax tone ──▶ settled: machine, menu, fax
 *      │ ├────── carrier ───────────────────────────────────────▶ settled
 *      │ └────── nothing is said, or time is up ────────────────▶ settled: unknown
 *      └──────── long greeting, then silence ──▶ judging ───────▶ settled
 */
export class PickupMachine {
  readonly #settings: PickupSettings
  readonly #state: State = {
    now: 0,
    timers: {},
    phase: 'new',
    begunAt: 0,
    spokeAt: undefined,
    speaks: false,
    quietSince: 0,
    text: '',
    hasCarrier: false,
  }

  constructor(settings: PickupSettings) {
    this.#settings = settings
  }

  get isSettled(): boolean {
    return this.#state.phase === 'settled'
  }

  handle(event: PickupEvent): PickupCommand[] {
    const state = this.#state
    if (!advance(state, event)) return []
    const commands = [...this.#take(event), ...this.#decide()]
    return [...changeTimer(state, 'decide', this.#dueAt), ...commands]
  }

  #take(event: PickupEvent): PickupCommand[] {
    const state = this.#state
    switch (event.type) {
      case 'begin':
        if (state.phase !== 'new') return []
        state.phase = 'listening'
        state.begunAt = state.now
        state.speaks = event.speaking
        if (event.speaking) state.spokeAt = state.now
        return []
      case 'speech':
        return this.#heard(event.speaks, event.since)
      case 'words':
        return this.#words(event.text)
      case 'tone':
        return this.#settle({ by: event.tone === 'beep' ? 'machine' : 'fax', how: 'tone' })
      case 'carrier':
        return this.#carrier(event.by)
      case 'judged':
        if (state.phase !== 'judging') return []
        return this.#settle(event.by === undefined ? this.#byLength() : { by: event.by, how: 'judge' })
      case 'timer':
        break
    }
    return []
  }

  #heard(speaks: boolean, since: number): PickupCommand[] {
    const state = this.#state
    if (state.speaks === speaks) return []
    state.speaks = speaks
    if (speaks) state.spokeAt ??= Math.max(state.begunAt, Math.min(since, state.now))
    else state.quietSince = Math.max(state.spokeAt ?? state.begunAt, Math.min(since, state.now))
    return []
  }

  #words(text: string): PickupCommand[] {
    const state = this.#state
    state.text = text
    // Words show that somebody speaks, even if nothing else does.
    if (text.trim() !== '' && state.spokeAt === undefined) {
      state.spokeAt = state.now
      state.quietSince = state.now
    }
    const verdict = judgeGreeting(text)
    return verdict ? this.#settle({ ...verdict, how: 'words' }) : []
  }

  #carrier(by: AnsweredBy): PickupCommand[] {
    const state = this.#state
    // A carrier that cannot tell does not keep others from finding out.
    if (by === 'unknown' || state.hasCarrier) return []
    state.hasCarrier = true
    return state.phase === 'settled' ? [{ type: 'late', by }] : this.#settle({ by, how: 'carrier' })
  }

  /** Acts if it is time to. */
  #decide(): PickupCommand[] {
    const state = this.#state
    const { limit, judges } = this.#settings
    const due = this.#dueAt
    if (due === undefined || due > state.now) return []
    if (state.now >= state.begunAt + limit) return this.#settle({ by: 'unknown', how: 'limit' })
    if (state.spokeAt === undefined) return this.#settle({ by: 'unknown', how: 'silence' })
    if (this.#isShort) return this.#settle({ by: 'person', how: 'greeting' })
    if (!judges || state.text.trim() === '') return this.#settle(this.#byLength())
    state.phase = 'judging'
    return [{ type: 'judge', text: state.text }]
  }

  /** When something is to be decided, if nothing happens until then. */
  get #dueAt(): number | undefined {
    const { phase, begunAt, spokeAt, speaks, quietSince } = this.#state
    const { silence, limit, pause } = this.#settings
    if (phase === 'new' || phase === 'settled') return undefined
    const end = begunAt + limit
    if (phase === 'judging' || speaks) return end
    if (spokeAt === undefined) return Math.min(end, begunAt + silence)
    return Math.min(end, quietSince + (this.#isShort ? pause + this.#wordsDelay : LONG_PAUSE))
  }

  /** How long to wait for the words of a short greeting. */
  get #wordsDelay(): number {
    return this.#settings.words && this.#state.text.trim() === '' ? WORDS : 0
  }

  get #isShort(): boolean {
    return this.#length <= this.#settings.greeting
  }

  /** How long the greeting has been, pauses included. */
  get #length(): number {
    const { spokeAt = 0, quietSince } = this.#state
    return quietSince - spokeAt
  }

  #byLength(): Finding {
    return { by: this.#length >= MACHINE ? 'machine' : 'unknown', how: 'greeting' }
  }

  #settle(found: Finding): PickupCommand[] {
    const state = this.#state
    if (state.phase === 'settled' || state.phase === 'new') return []
    state.phase = 'settled'
    return [{ type: 'settle', found }]
  }
}
