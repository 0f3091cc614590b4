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

/** Where a turn reads what happened in it. */
export interface TurnSource {
  entries(turn: Turn): readonly TurnEntry[]
  latency(turn: Turn): number | undefined
}

/**
 * What happened from one thing that the caller did to the next. What was begun in a turn belongs to it, also what of it
 * is heard or returned later: so the record of an interrupted turn is complete when the next one is.
 */
export class Turn {
  /** What the caller did, in words. */
  readonly opening: string
  /** Checks the record from top to bottom. There is one for a turn: it remembers how far it has come. */
  readonly expect: Expectation
  readonly #source: TurnSource

  /** @internal */
  constructor(opening: string, source: TurnSource) {
    this.opening = opening
    this.#source = source
    this.expect = new Expectation(this)
  }

  /** Everything that happened, in the order of the history. */
  get events(): readonly TurnEvent[] {
    return this.entries.map(({ event }) => event)
  }

  /** What the agent said, as far as it was heard. */
  get messages(): readonly string[] {
    return this.#all('message').map(({ text }) => text)
  }

  get toolCalls(): readonly TurnToolCall[] {
    return this.#all('toolCall')
  }

  get handoffs(): readonly TurnHandoff[] {
    return this.#all('handoff')
  }

  /** What guardrails stopped. */
  get verdicts(): readonly TurnVerdict[] {
    return this.#all('guardrail')
  }

  get errors(): readonly TurnFailure[] {
    return this.#all('error')
  }

  /** From the end of the caller's words to the first sound of the answer; undefined if there was none. */
  get latency(): number | undefined {
    return this.#source.latency(this)
  }

  /** @internal */
  get entries(): readonly TurnEntry[] {
    return this.#source.entries(this)
  }

  /** The turn in lines, for people. */
  toString(): string {
    return storyOf(this.opening, this.entries)
  }

  #all<Type extends TurnEvent['type']>(type: Type): Extract<TurnEvent, { type: Type }>[] {
    return this.events.filter((event): event is Extract<TurnEvent, { type: Type }> => event.type === type)
  }
}
