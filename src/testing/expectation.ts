import { EndwellError } from '../scope/index.ts'
import type { CloseReason } from '../session/index.ts'
import { fits, textFits, type TextPattern } from './fits.ts'
import type { TurnEntry, TurnEvent } from './turn-event.ts'
import { errorText, lineOf, show, storyOf } from './turn-story.ts'

/** A turn was not as expected. The message shows the whole turn; `expected` and `actual` are for diffs. */
export class ExpectationError extends EndwellError {
  readonly expected: unknown
  readonly actual: unknown

  constructor(message: string, expected: unknown, actual: unknown) {
    super('EXPECTATION', message)
    this.expected = expected
    this.actual = actual
  }
}

/** What an expectation reads of a turn. */
export interface TurnRecord {
  readonly opening: string
  readonly entries: readonly TurnEntry[]
  readonly events: readonly TurnEvent[]
  readonly latency: number | undefined
}

type EventOf<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>

interface Wanted<Type extends TurnEvent['type']> {
  readonly type: Type
  /** Completes 'expected …'. */
  readonly what: string
  readonly fits: (event: EventOf<Type>) => boolean
  /** For a diff with `seen` of each event of the type. */
  readonly expected: unknown
  readonly seen: (event: EventOf<Type>) => unknown
}

/**
 * What a turn should have been, read from top to bottom. Each expectation takes the first event that fits below the one
 * taken last; those in between are passed over, and only `nothingElse()` minds them. What starts with `no` looks at the
 * whole turn.
 *
 * ```ts
 * turn.expect.toolCall('findSlot', { day: 'Monday' }).message(/ten/).nothingElse()
 * ```
 */
export class Expectation {
  readonly #turn: TurnRecord
  readonly #taken = new Set<string>()
  #last: string | undefined

  /** @internal */
  constructor(turn: TurnRecord) {
    this.#turn = turn
  }

  /** The agent said it, to the end or until it was interrupted. Words need only be a part of it. */
  message(text?: TextPattern): this {
    return this.#message('a message', text, () => true)
  }

  /** The agent was interrupted, and this was heard of it. */
  interruptedMessage(text?: TextPattern): this {
    return this.#message('an interrupted message', text, ({ interrupted }) => interrupted)
  }

  /** The tool was called and did not fail. Of objects, only the fields that are given have to fit. */
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
      seen: (call) => callOf(call, input, output),
    })
  }

  /** The tool was called and failed; the text is what the model reads about it. */
  failedToolCall(name: string, text?: TextPattern): this {
    return this.#next({
      type: 'toolCall',
      what: `a call of ${name} that fails${about(text)}`,
      fits: (call) => call.name === name && call.how === 'failed' && textFits(String(call.output), text),
      expected: { name, how: 'failed', output: text },
      seen: ({ name: other, how, output }) => ({ name: other, how, output }),
    })
  }

  /** The caller was handed over to the agent of this name. */
  handoff(to: string): this {
    return this.#next({
      type: 'handoff',
      what: `a handoff to ${to}`,
      fits: (handoff) => handoff.to === to,
      expected: to,
      seen: (handoff) => handoff.to,
    })
  }

  /** A guardrail stopped something. */
  guardrail(name: string, verdict?: TextPattern): this {
    return this.#next({
      type: 'guardrail',
      what: `guardrail ${name} to stop it${about(verdict)}`,
      fits: (event) => event.name === name && textFits(event.verdict, verdict),
      expected: { name, verdict },
      seen: (event) => ({ name: event.name, verdict: event.verdict }),
    })
  }

  /** A tool waits for approval. */
  approval(name: string, input?: unknown): this {
    return this.#next({
      type: 'approval',
      what: `${name} to wait for approval${input === undefined ? '' : ` with ${show(input)}`}`,
      fits: (event) => event.name === name && (input === undefined || fits(event.input, input)),
      expected: { name, input },
      seen: (event) => ({ name: event.name, input: event.input }),
    })
  }

  /** The keys of the telephone were told as an event. */
  digits(digits: string): this {
    return this.#next({
      type: 'digits',
      what: `the digits ${digits}`,
      fits: (event) => event.digits === digits,
      expected: digits,
      seen: (event) => event.digits,
    })
  }

  /** Something failed; the text is where it did and the error's message. */
  error(text?: TextPattern): this {
    return this.#next({
      type: 'error',
      what: `an error${about(text)}`,
      fits: (event) => textFits(errorText(event), text),
      expected: text,
      seen: errorText,
    })
  }

  /** The session ended. */
  closed(reason?: CloseReason): this {
    return this.#next({
      type: 'closed',
      what: `the end of the session${reason === undefined ? '' : ` (${reason})`}`,
      fits: (event) => reason === undefined || event.reason === reason,
      expected: reason,
      seen: (event) => event.reason,
    })
  }

  /** Every event of the turn was expected. */
  nothingElse(): this {
    const { entries } = this.#turn
    const others = entries.filter(({ key }) => !this.#taken.has(key))
    if (others.length === 0) return this
    const lines = others.map(({ event }) => `\n  ${lineOf(event)}`).join('')
    return this.#fail(
      `expected nothing else, and there was${lines}`,
      entries.filter(({ key }) => this.#taken.has(key)).map(({ event }) => lineOf(event)),
      entries.map(({ event }) => lineOf(event)),
    )
  }

  noMessage(text?: TextPattern): this {
    return this.#none('message', `no message${about(text)}`, (event) => textFits(event.text, text))
  }

  /** Nothing was called, or not the tool of this name; whether it failed or not. */
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

  /** The first sound of the answer came within so many milliseconds. */
  answeredWithin(ms: number): this {
    const { latency } = this.#turn
    if (latency !== undefined && latency <= ms) return this
    const was = latency === undefined ? 'there was none' : `it came after ${latency} ms`
    return this.#fail(`expected an answer within ${ms} ms, and ${was}`, ms, latency)
  }

  #message(what: string, text: TextPattern | undefined, also: (event: EventOf<'message'>) => boolean): this {
    return this.#next({
      type: 'message',
      what: `${what}${about(text)}`,
      fits: (event) => also(event) && textFits(event.text, text),
      expected: text,
      seen: (event) => event.text,
    })
  }

  /** Takes the next event that fits. */
  #next<Type extends TurnEvent['type']>({ type, what, fits: fit, expected, seen }: Wanted<Type>): this {
    const { entries } = this.#turn
    const is = (entry: TurnEntry): entry is TurnEntry & { event: EventOf<Type> } => entry.event.type === type
    const last = entries.findIndex(({ key }) => key === this.#last)
    const below = entries.slice(last + 1).filter(is)
    const found = below.find(({ event }) => fit(event))
    if (!found) {
      const above = entries.slice(0, last + 1).some((entry) => is(entry) && fit(entry.event))
      const why = above
        ? `, below '${lineOf(entries[last]!.event)}'. There is one above: expectations go from top to bottom`
        : ''
      const actual = below.map(({ event }) => seen(event))
      return this.#fail(`expected ${what}${why}`, expected, actual.length === 1 ? actual[0] : actual)
    }
    this.#last = found.key
    this.#taken.add(found.key)
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
    const story = storyOf(opening, entries, this.#taken).replaceAll(/^/gm, '  ')
    throw new ExpectationError(`${what}\n\nthe turn:\n${story}`, shown(expected), actual)
  }
}

/** What a diff of a call shows: only what was asked for. */
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

/** Expressions and functions do not show up in a diff. */
function shown(expected: unknown): unknown {
  return expected instanceof RegExp || typeof expected === 'function' ? show(expected) : expected
}
