import { OptionError } from '../../scope/index.ts'
import { fillSlots, formatPhrase, parsePhrase, slotsOf, type Phrase } from './phrase.ts'
import { PhraseMatcher } from './phrase-matcher.ts'
import { readSlots, type Slot } from './slots.ts'

/** The data that an answer can use. */
export interface Facts {
  /** The values the caller has given so far, by slot. */
  readonly slots: Readonly<Record<string, string>>
  /** What the tool returned; undefined without a tool. */
  readonly result: unknown
  /** The tool's output as text; its error message if it failed. */
  readonly output: string
}

/**
 * Something to say: a text in which `{day}` stands for a slot and `{result}` or `{result.time}` for the tool's result;
 * several such texts, of which one is chosen at random; or a function.
 */
export type Say = string | readonly string[] | ((facts: Facts) => string | PromiseLike<string>)

/** Something that a caller may want. */
export interface Intent {
  /** Phrases for it: `'book [me in] [on {day}] [at {time}]'`. The caller may say more than the phrase. */
  readonly says: readonly string[]
  /** Offered to a caller who was not understood: 'book an appointment'. */
  readonly hint?: string
  /** The slots that must be known, each with the question that asks for it. */
  readonly needs?: Readonly<Record<string, Say>>
  /** A yes-or-no question that is asked before the tool is called. */
  readonly confirm?: Say
  /** The tool to call, with the slots as its input. An agent without that tool does not know the intent. */
  readonly call?: string
  /** Builds the tool's input. Default: the slots. */
  readonly input?: (slots: Readonly<Record<string, string>>) => unknown
  /** Said before the tool is called. */
  readonly before?: Say
  /** Said at the end. */
  readonly answer?: Say
  /** Said instead of `answer` if the tool failed. With `ask`, that slot is asked for again. */
  readonly failed?: Say | { readonly say: Say; readonly ask: string }
}

export interface DialogueOptions {
  /** The slots by name: `{ day: days, time: times }`. */
  readonly slots?: Readonly<Record<string, Slot>>
  readonly intents: Readonly<Record<string, Intent>>
  /** Said at the start of the conversation. */
  readonly greeting?: Say
  /** Said when the caller was not understood, followed by the hints of the intents. */
  readonly notUnderstood?: Say
  /** Said when the caller answers `confirm` with no. */
  readonly declined?: Say
  /** Phrases for yes. */
  readonly yes?: readonly string[]
  /** Phrases for no. */
  readonly no?: readonly string[]
  /** Phrases that ask for the last answer again. */
  readonly repeat?: readonly string[]
}

/** A phrase, as a matcher and as text for a grammar. */
export interface Pattern {
  readonly text: string
  readonly matcher: PhraseMatcher
}

export interface Rule extends Intent {
  readonly name: string
  readonly patterns: readonly Pattern[]
  /** Every slot that the intent uses. */
  readonly slots: ReadonlySet<string>
}

/** The options, parsed and validated. */
export interface Rules {
  readonly rules: readonly Rule[]
  readonly yes: readonly Pattern[]
  readonly no: readonly Pattern[]
  readonly repeat: readonly Pattern[]
  /** The values of each slot. */
  readonly values: ReadonlyMap<string, readonly (Pattern & { readonly value: string })[]>
  /** Everything that a caller can say, as phrases of a grammar. */
  readonly phrases: readonly string[]
}

/** May precede the answer to a question: 'on monday', 'at ten'. */
const LEAD = '[on|at|to|for|how about|maybe|let us say]'
const YES = ['yes [please]', 'yeah', 'sure', '(that is|sounds) (right|good|fine)', 'okay', 'please do']
const NO = ['no [thank you|thanks]', 'nope', 'never mind', 'forget it', 'please do not']
const REPEAT = ['[can you] [please] (say that again|repeat that)', 'pardon', 'what did you say']

export function readRules(options: DialogueOptions): Rules {
  const slots = readSlots(options.slots ?? {})
  const pattern = (text: string): Pattern => {
    const phrase = fillSlots(parsePhrase(text), slots.phrases, text)
    return { text: formatPhrase(phrase), matcher: new PhraseMatcher(phrase) }
  }
  const rules = Object.entries(options.intents).map(([name, intent]): Rule => {
    const named = intent.says.flatMap((text) => slotsOf(parsePhrase(text)))
    const rule = {
      ...intent,
      name,
      patterns: intent.says.map(pattern),
      slots: new Set([...named, ...Object.keys(intent.needs ?? {})]),
    }
    checkSlots(rule, slots.phrases)
    return rule
  })
  const values = new Map(
    [...slots.values].map(([name, list]) => [
      name,
      list.map(({ phrase, value }) => ({
        value,
        text: formatPhrase(phrase),
        matcher: new PhraseMatcher(phrase),
      })),
    ]),
  )
  const confirms = rules.some(({ confirm }) => confirm !== undefined)
  const read = {
    rules,
    values,
    yes: (options.yes ?? YES).map(pattern),
    no: (options.no ?? NO).map(pattern),
    repeat: (options.repeat ?? REPEAT).map(pattern),
  }
  const all = [...rules.flatMap(({ patterns }) => patterns), ...read.repeat]
  if (confirms) all.push(...read.yes, ...read.no)
  all.push(...shortAnswersOf(rules).map(pattern))
  return { ...read, phrases: [...new Set(all.map(({ text }) => text))] }
}

/** Short answers to the questions of the rules: each slot alone, and all slots of a rule together. */
function shortAnswersOf(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ needs = {} }) => {
    const answers = Object.keys(needs).map((name) => `${LEAD} {${name}}`)
    return answers.length > 1 ? [...answers, answers.join(' ')] : answers
  })
}

function checkSlots({ name, slots, failed }: Rule, known: Readonly<Record<string, Phrase>>): void {
  const used = [...slots]
  if (typeof failed === 'object' && 'ask' in failed) used.push(failed.ask)
  for (const slot of used) {
    if (Object.hasOwn(known, slot)) continue
    const names = Object.keys(known).join(', ') || 'none'
    throw new OptionError(`intent '${name}' uses an unknown slot '${slot}'. Known slots: ${names}`)
  }
}
