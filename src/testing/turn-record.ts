import { Expectation } from './expectation.ts'
import type {
  TurnEntry,
  TurnEvent,
  TurnFailure,
  TurnHandoff,
  TurnToolCall,
  TurnVerdict,
} from './turn-event.ts'
import { storyOf } from './turn-story.ts'

/** The source of a turn's events. */
export interface TurnSource {
  entries(turn: Turn): readonly TurnEntry[]
  latency(turn: Turn): number | undefined
}

/**
 * The events from one action of the caller to the next. Whatever starts in a turn belongs to it, even if it is heard or
 * returns later. So the record of an interrupted turn is complete only when the next turn is.
 */
export class Turn {
  /** What the caller did. */
  readonly opening: string
  /** Checks the events from top to bottom. Remembers its position between calls. */
  readonly expect: Expectation
  readonly #source: TurnSource

  /** @internal */
  constructor(opening: string, source: TurnSource) {
    this.opening = opening
    this.#source = source
    this.expect = new Expectation(this)
  }

  /** All events, in the order of the history. */
  get events(): readonly TurnEvent[] {
    return this.entries.map(({ event }) => event)
  }

  /** What the agent said, as far as the caller heard it. */
  get messages(): readonly string[] {
    return this.#all('message').map(({ text }) => text)
  }

  get toolCalls(): readonly TurnToolCall[] {
    return this.#all('toolCall')
  }

  get handoffs(): readonly TurnHandoff[] {
    return this.#all('handoff')
  }

  /** The verdicts of guardrails that stopped something. */
  get verdicts(): readonly TurnVerdict[] {
    return this.#all('guardrail')
  }

  get errors(): readonly TurnFailure[] {
    return this.#all('error')
  }

  /** Milliseconds from the end of the caller's words to the first audio of the answer. Undefined without an answer. */
  get latency(): number | undefined {
    return this.#source.latency(this)
  }

  /** @internal */
  get entries(): readonly TurnEntry[] {
    return this.#source.entries(this)
  }

  /** Formats the turn, one line per event. */
  toString(): string {
    return storyOf(this.opening, this.entries)
  }

  #all<Type extends TurnEvent['type']>(type: Type): Extract<TurnEvent, { type: Type }>[] {
    return this.events.filter((event): event is Extract<TurnEvent, { type: Type }> => event.type === type)
  }
}
