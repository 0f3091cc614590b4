import type { CloseReason } from '../session/index.ts'
import { Expectation } from './expectation.ts'
import { storyOf } from './turn-story.ts'

/** What the agent said, as far as it was heard. */
export interface TurnMessage {
  readonly type: 'message'
  readonly text: string
  readonly agent: string | undefined
  /** The agent wanted to say more. */
  readonly interrupted: boolean
}

export interface TurnToolCall {
  readonly type: 'toolCall'
  readonly name: string
  /** As the tool's schema has read it; as the model wrote it if the tool did not run. */
  readonly input: unknown
  /** What the tool returned; of one that failed, what the model reads about it. */
  readonly output: unknown
  readonly how: 'running' | 'done' | 'failed'
  readonly mocked: boolean
  readonly agent: string | undefined
}

export interface TurnHandoff {
  readonly type: 'handoff'
  readonly from: string
  readonly to: string
}

/** A guardrail stopped something. */
export interface TurnVerdict {
  readonly type: 'guardrail'
  readonly name: string
  readonly on: 'input' | 'output'
  readonly verdict: string
}

/** A tool waits for `approves()` or `refuses()`. */
export interface TurnApproval {
  readonly type: 'approval'
  readonly name: string
  readonly input: unknown
}

/** Keys of the telephone that became no words. */
export interface TurnDigits {
  readonly type: 'digits'
  readonly digits: string
}

export interface TurnFailure {
  readonly type: 'error'
  readonly where: string
  readonly error: unknown
}

/** The session has ended. */
export interface TurnClosed {
  readonly type: 'closed'
  readonly reason: CloseReason
}

/** One thing that happened in a turn. */
export type TurnEvent =
  | TurnMessage
  | TurnToolCall
  | TurnHandoff
  | TurnVerdict
  | TurnApproval
  | TurnDigits
  | TurnFailure
  | TurnClosed

/** An event and what it can be recognised by: the record is written again as more is heard. */
export interface TurnEntry {
  readonly key: string
  readonly event: TurnEvent
}

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
