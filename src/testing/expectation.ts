import { EndwellError } from '../scope/index.ts'
import type { CloseReason } from '../session/index.ts'
import { fits, textFits, type TextPattern } from './fits.ts'
import type { TurnEntry, TurnEvent } from './turn-event.ts'
import { errorText, lineOf, show, storyOf } from './turn-story.ts'

/** A turn was not as expected. The message shows the whole turn. `expected` and `actual` are for diffs. */
export class ExpectationError extends EndwellError {
  readonly expected: unknown
  readonly actual: unknown

  constructor(message: string, expected: unknown, actual: unknown) {
    super('EXPECTATION', message)
    this.expected = expected
    this.actual = actual
  }
}

/** The part of a turn that an expectation reads. */
export interface TurnRecord {
  readonly opening: string
  readonly entries: readonly TurnEntry[]
  readonly events: readonly TurnEvent[]
  readonly latency: number | undefined
}

type EventOf<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>

interface Wanted<Type extends TurnEvent['type']> {
  readonly type: Type
  /** Completes the message 'expected …'. */
  readonly what: string
  readonly fits: (event: EventOf<Type>) => boolean
  /** The expected side of a diff. */
  readonly expected: unknown
  /** The actual side of a diff, for an event of the type. */
  readonly actual: (event: EventOf<Type>) => unknown
}

/**
 * Checks a turn from top to bottom. Each expectation matches the first fitting event after the last matched one. Events
 * in between are skipped; only `nothingElse()` rejects them. Expectations that start with `no` check the whole turn.
 *
 * ```ts
 * turn.expect.toolCall('findSlot', { day: 'Monday' }).message(/ten/).nothingElse()
 * ```
 */
export class Expectation {
  readonly #turn: TurnRecord
  readonly #matched = new Set<string>()
  #last: string | undefined

  /** @internal */
  constructor(turn: TurnRecord) {
    this.#turn = turn
  }

  /** The agent said this, completely or until it was interrupted. A string matches part of the message. */
  message(text?: TextPattern): this {
    return this.#message('a message', text, () => true)
  }

  /** The agent was interrupted, and the caller heard this. */
  interruptedMessage(text?: TextPattern): this {
    return this.#message('an interrupted message', text, ({ interrupted }) => interrupted)
  }

  /** The tool was called and succeeded. Objects need to match only in the given fields. */
  toolCall(name: string, input?: unknown, output?: unknown): this {
    const how = 'done'
    return this.#next({
      type: 'toolCall',
      what:
        `a call of ${name}` +
        `${input === undefined ? '' : ` with ${show(input)}`}${output === undefined ? '' : ` that returns ${show(output)}`}`,
      fits: (call) =>
        call.name === name &&
        call.how === how &&
        (input === undefined || fits(call.input, input)) &&
        (output === undefined || fits(call.output, output)),
      expected: callOf({ name, how, input, output }, input, output),
      actual: (call) => callOf(call, input, output),
    })
  }

  /** The tool was called and failed. `text` matches the error text for the model. */
  failedToolCall(name: string, text?: TextPattern): this {
    return this.#next({
      type: 'toolCall',
      what: `a call of ${name} that fails${about(text)}`,
      fits: (call) => call.name === name && call.how === 'failed' && textFits(String(call.output), text),
      expected: { name, how: 'failed', output: text },
      actual: ({ name: other, how, output }) => ({ name: other, how, output }),
    })
  }

  /** The call was handed off to the agent of this name. */
  handoff(to: string): this {
    return this.#next({
      type: 'handoff',
      what: `a handoff to ${to}`,
      fits: (handoff) => handoff.to === to,
      expected: to,
      actual: (handoff) => handoff.to,
    })
  }

  /** A guardrail stopped something. */
  guardrail(name: string, verdict?: TextPattern): this {
    return this.#next({
      type: 'guardrail',
      what: `guardrail ${name} to stop it${about(verdict)}`,
      fits: (event) => event.name === name && textFits(event.verdict, verdict),
      expected: { name, verdict },
      actual: (event) => ({ name: event.name, verdict: event.verdict }),
    })
  }

  /** A tool call waits for approval. */
  approval(name: string, input?: unknown): this {
    return this.#next({
      type: 'approval',
      what: `${name} to wait for approval${input === undefined ? '' : ` with ${show(input)}`}`,
      fits: (event) => event.name === name && (input === undefined || fits(event.input, input)),
      expected: { name, input },
      actual: (event) => ({ name: event.name, input: event.input }),
    })
  }

  /** These phone keys were emitted as an event. */
  digits(digits: string): this {
    return this.#next({
      type: 'digits',
      what: `the digits ${digits}`,
      fits: (event) => event.digits === digits,
      expected: digits,
      actual: (event) => event.digits,
    })
  }

  /** The agent pressed these telephone keys. */
  keys(keys: string): this {
    return this.#next({
      type: 'keys',
      what: `the agent to press ${keys}`,
      fits: (event) => event.keys === keys,
      expected: keys,
      actual: (event) => event.keys,
    })
  }

  /** An error occurred. `text` matches where it occurred and its message. */
  error(text?: TextPattern): this {
    return this.#next({
      type: 'error',
      what: `an error${about(text)}`,
      fits: (event) => textFits(errorText(event), text),
      expected: text,
      actual: errorText,
    })
  }

  /** The session closed. */
  closed(reason?: CloseReason): this {
    return this.#next({
      type: 'closed',
      what: `the end of the session${reason === undefined ? '' : ` (${reason})`}`,
      fits: (event) => reason === undefined || event.reason === reason,
      expected: reason,
      actual: (event) => event.reason,
    })
  }

  /** Every event of the turn has been matched. */
  nothingElse(): this {
    const { entries } = this.#turn
    const others = entries.filter(({ key }) => !this.#matched.has(key))
    if (others.length === 0) return this
    const lines = others.map(({ event }) => `\n  ${lineOf(event)}`).join('')
    return this.#fail(
      `expected nothing else, but there was${lines}`,
      entries.filter(({ key }) => this.#matched.has(key)).map(({ event }) => lineOf(event)),
      entries.map(({ event }) => lineOf(event)),
    )
  }

  noMessage(text?: TextPattern): this {
    return this.#none('message', `no message${about(text)}`, (event) => textFits(event.text, text))
  }

  /** No tool was called, or not the one of this name, not even unsuccessfully. */
  noToolCall(name?: string): this {
    return this.#none(
      'toolCall',
      name === undefined ? 'no tool call' : `no call of ${name}`,
      (call) => name === undefined || call.name === name,
    )
  }

  noHandoff(): this {
    return this.#none('handoff', 'no handoff', () => true)
  }

  noError(): this {
    return this.#none('error', 'no error', () => true)
  }

  /** The first audio of the answer came within this many milliseconds. */
  answeredWithin(ms: number): this {
    const { latency } = this.#turn
    if (latency !== undefined && latency <= ms) return this
    const was = latency === undefined ? 'there was none' : `it took ${latency} ms`
    return this.#fail(`expected an answer within ${ms} ms, but ${was}`, ms, latency)
  }

  #message(what: string, text: TextPattern | undefined, also: (event: EventOf<'message'>) => boolean): this {
    return this.#next({
      type: 'message',
      what: `${what}${about(text)}`,
      fits: (event) => also(event) && textFits(event.text, text),
      expected: text,
      actual: (event) => event.text,
    })
  }

  /** Matches the next fitting event. */
  #next<Type extends TurnEvent['type']>({ type, what, fits: fit, expected, actual }: Wanted<Type>): this {
    const { entries } = this.#turn
    const is = (entry: TurnEntry): entry is TurnEntry & { event: EventOf<Type> } => entry.event.type === type
    const last = entries.findIndex(({ key }) => key === this.#last)
    const below = entries.slice(last + 1).filter(is)
    const found = below.find(({ event }) => fit(event))
    if (!found) {
      const above = entries.slice(0, last + 1).some((entry) => is(entry) && fit(entry.event))
      const why = above
        ? ` after '${lineOf(entries[last]!.event)}'. There is one before it: expectations are checked in order`
        : ''
      const candidates = below.map(({ event }) => actual(event))
      return this.#fail(
        `expected ${what}${why}`,
        expected,
        candidates.length === 1 ? candidates[0] : candidates,
      )
    }
    this.#last = found.key
    this.#matched.add(found.key)
    return this
  }

  #none<Type extends TurnEvent['type']>(
    type: Type,
    what: string,
    fit: (event: EventOf<Type>) => boolean,
  ): this {
    const found = this.#turn.events.filter(
      (event): event is EventOf<Type> => event.type === type && fit(event as EventOf<Type>),
    )
    return found.length === 0 ? this : this.#fail(`expected ${what}`, [], found.map(lineOf))
  }

  #fail(what: string, expected: unknown, actual: unknown): never {
    const { opening, entries } = this.#turn
    const story = storyOf(opening, entries, this.#matched).replaceAll(/^/gm, '  ')
    throw new ExpectationError(`${what}\n\nthe turn:\n${story}`, shown(expected), actual)
  }
}

/** A tool call as a diff shows it: only the fields that were expected. */
function callOf(
  call: { readonly name: string; readonly how: string; readonly input: unknown; readonly output: unknown },
  input: unknown,
  output: unknown,
): Record<string, unknown> {
  const { name, how } = call
  return {
    name,
    how,
    ...(input === undefined ? {} : { input: call.input }),
    ...(output === undefined ? {} : { output: call.output }),
  }
}

function about(text: TextPattern | undefined): string {
  return text === undefined ? '' : `: ${show(text)}`
}

/** Regular expressions and functions do not show up in a diff. */
function shown(expected: unknown): unknown {
  return expected instanceof RegExp || typeof expected === 'function' ? show(expected) : expected
}
