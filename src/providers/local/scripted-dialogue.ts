import {
  type Llm,
  type LlmChunk,
  type LlmClient,
  type LlmRequest,
  type PartContext,
} from '../../parts/index.ts'
import {
  SignalStop,
  ScopeClosedError,
  checkOptions,
  type CancelledError,
  type Random,
  type OptionNames,
} from '../../scope/index.ts'
import {
  readRules,
  type DialogueOptions,
  type Facts,
  type Rule,
  type Rules,
  type Say,
} from './dialogue-rules.ts'
import { missingSlots, needsConfirmation, readState, rulesFor, type DialogueState } from './dialogue-state.ts'
import { renderSay, resultOf } from './render-say.ts'

export interface ScriptedDialogueOptions extends DialogueOptions {
  /** Default: `scripted`. */
  readonly name?: string
  /** A model that answers when no intent matches. */
  readonly otherwise?: Llm
}

const optionNames: OptionNames<ScriptedDialogueOptions> = {
  slots: true,
  intents: true,
  greeting: true,
  notUnderstood: true,
  declined: true,
  yes: true,
  no: true,
  repeat: true,
  name: true,
  otherwise: true,
}

/** The next answer, and the tool to call after it. */
interface Turn {
  readonly say?: Say
  /** Said after `say`. */
  readonly after?: Say
  readonly call?: Rule
}

const GREETING = 'Hello! How can I help you?'
const NOT_UNDERSTOOD = ['Sorry, I did not get that.', 'I am sorry, I did not understand.', 'Pardon me?']
const DECLINED = ['Alright, I will leave it as it is.', 'Okay, nothing has changed.']
const FAILED = 'I am sorry, that did not work.'

/**
 * A rule-based dialogue in place of a language model: no key, no network, no latency. It recognises the caller's intent,
 * asks for missing details, calls the agent's tools and reports their results.
 *
 * ```ts
 * const desk = new ScriptedDialogue({
 *   slots: { day: days, time: times },
 *   intents: {
 *     hours: {
 *       says: ['when are you open', '[what are] your opening hours'],
 *       answer: 'We are open from eight to six, Monday to Friday.',
 *     },
 *     book: {
 *       says: ['book [an appointment] [on {day}] [at {time}]', 'can i come in [on {day}] [at {time}]'],
 *       needs: { day: 'Which day would suit you?', time: 'And at what time?' },
 *       call: 'book',
 *       answer: 'You are booked for {day} at {time}.',
 *       failed: { say: 'That is taken. What other time would suit you?', ask: 'time' },
 *     },
 *   },
 * })
 * const stt = new LocalStt({ phrases: desk.phrases })
 * ```
 *
 * It is stateless: each answer is computed from the messages alone.
 */
export class ScriptedDialogue implements Llm {
  readonly name: string
  readonly #options: ScriptedDialogueOptions
  readonly #rules: Rules

  constructor(options: ScriptedDialogueOptions) {
    checkOptions('ScriptedDialogue', options, optionNames)
    this.name = options.name ?? 'scripted'
    this.#options = options
    this.#rules = readRules(options)
  }

  /** Everything that a caller can say, as phrases for `LocalStt`. */
  get phrases(): readonly string[] {
    return this.#rules.phrases
  }

  async open(context: PartContext): Promise<LlmClient> {
    const otherwise = await this.#options.otherwise?.open(context)
    return { generate: (request, signal) => this.#generate(context, otherwise, request, signal) }
  }

  async *#generate(
    { scope, random }: PartContext,
    otherwise: LlmClient | undefined,
    request: LlmRequest,
    signal: AbortSignal,
  ): AsyncGenerator<LlmChunk> {
    const check = (): void => {
      signal.throwIfAborted()
      if (scope.state === 'live') return
      throw new ScopeClosedError(
        scope.name,
        `answer with '${this.name}'`,
        scope.signal.reason as CancelledError,
      )
    }
    check()
    const known = rulesFor(this.#rules, request.tools)
    const state = readState(this.#rules, known, request.messages)
    if (otherwise && state.heard === 'unknown') {
      yield* otherwise.generate(request, signal)
      return
    }
    const turn = this.#next(state, known)
    const stop = new SignalStop(signal, scope)
    try {
      const answer = await scope.until(stop.until(textOf(turn, state, random)))
      // Word by word, as models do, so that a TTS can start early and an interruption takes effect.
      for (const text of answer.match(/\S+\s*/g) ?? []) {
        check()
        yield { type: 'text', text }
      }
      check()
      if (turn.call) yield callOf(turn.call, state)
    } finally {
      stop.release()
    }
  }

  #next(state: DialogueState, known: readonly Rule[]): Turn {
    const { greeting = GREETING, declined = DECLINED } = this.#options
    const { heard, lastAnswer, rule } = state
    if (heard === 'unknown') return this.#notUnderstood(state, known)
    if (heard === 'no') return { say: declined }
    if (heard === 'repeat' && lastAnswer !== '') return { say: () => lastAnswer }
    return rule && heard === 'intent' ? proceed(state, rule) : { say: greeting }
  }

  /** Repeats the pending question; without one, offers what the caller can say. */
  #notUnderstood(state: DialogueState, known: readonly Rule[]): Turn {
    const say = this.#options.notUnderstood ?? NOT_UNDERSTOOD
    const [slot] = missingSlots(state)
    const question = slot === undefined ? undefined : state.rule?.needs?.[slot]
    if (question !== undefined && state.misses < 3) return { say, after: question }
    if (needsConfirmation(state)) return { say, after: 'Yes or no?' }
    const hints = known.flatMap(({ hint }) => hint ?? [])
    if (hints.length === 0) return { say }
    return { say, after: `You can say, for instance: ${joinWithOr(hints)}.` }
  }
}

/** The next step of an intent. */
function proceed(state: DialogueState, rule: Rule): Turn {
  const { outcome } = state
  const failed = outcome?.failed ? (rule.failed ?? FAILED) : undefined
  const [slot] = missingSlots(state)
  if (slot !== undefined && failed === undefined) return { say: rule.needs![slot]! }
  if (needsConfirmation(state)) return { say: rule.confirm! }
  if (rule.call !== undefined && !outcome)
    return { ...(rule.before === undefined ? {} : { say: rule.before }), call: rule }
  const say =
    failed === undefined ? rule.answer : typeof failed === 'object' && 'ask' in failed ? failed.say : failed
  return say === undefined ? {} : { say }
}

async function textOf({ say, after }: Turn, state: DialogueState, random: Random): Promise<string> {
  const { slots, outcome, lastAnswer } = state
  const output = outcome?.output ?? ''
  const facts: Facts = { slots, output, result: outcome && resultOf(output) }
  const parts = [say, after].filter((part) => part !== undefined)
  const texts = await Promise.all(parts.map((part) => renderSay(part, facts, random, lastAnswer)))
  return texts.filter(Boolean).join(' ')
}

function callOf(rule: Rule, { slots, calls }: DialogueState): LlmChunk {
  const input = JSON.stringify(rule.input ? rule.input(slots) : slots)
  return { type: 'tool-call', id: `${rule.name}-${calls + 1}`, name: rule.call!, input }
}

/** 'one, two or three' */
function joinWithOr(all: readonly string[]): string {
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`
}
