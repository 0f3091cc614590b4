import { OptionError } from '../../scope/index.ts'
import { fillSlots, formatPhrase, parsePhrase, slotsOf, type Phrase } from './phrase.ts'
import { PhraseMatcher } from './phrase-matcher.ts'
import { readSlots, type Slot } from './slots.ts'

/** What an answer can be made of. */
export interface Facts {
  /** What the caller has said so far, by slot. */
  readonly slots: Readonly<Record<string, string>>
  /** What the tool returned; undefined without one. */
  readonly result: unknown
  /** The same as text, and what it says if it failed. */
  readonly output: string
}

/**
 * Something to say: a text in which `{day}` stands for a slot and `{result}` or `{result.time}` for what the tool
 * returned; several to choose from; or a function.
 */
export type Say = string | readonly string[] | ((facts: Facts) => string | PromiseLike<string>)

/** Something that a caller can want. */
export interface Intent {
  /** How it can be said: `'book [me in] [on {day}] [at {time}]'`. Part of what is said is enough. */
  readonly says: readonly string[]
  /** How it is offered to somebody who was not understood: 'book an appointment'. */
  readonly hint?: string
  /** What has to be known first, and how it is asked for. */
  readonly needs?: Readonly<Record<string, Say>>
  /** Asked before the tool is called; the caller says yes or no. */
  readonly confirm?: Say
  /** The tool to call, with the slots as its input. Without that tool, an agent does not know the intent. */
  readonly call?: string
  /** The tool's input, if it is not the slots as they are. */
  readonly input?: (slots: Readonly<Record<string, string>>) => unknown
  /** Said before the tool is called. */
  readonly before?: Say
  /** Said at the end. */
  readonly answer?: Say
  /** Said instead if the tool failed. With `ask`, that slot is asked for again. */
  readonly failed?: Say | { readonly say: Say; readonly ask: string }
}

export interface DialogueOptions {
  /** What can be filled in, by name: `{ day: days, time: times }`. */
  readonly slots?: Readonly<Record<string, Slot>>
  readonly intents: Readonly<Record<string, Intent>>
  /** Said when nobody has said anything yet. */
  readonly greeting?: Say
  /** Said when nothing was understood, and what can be said is offered after it. */
  readonly notUnderstood?: Say
  /** Said when the caller answers a question of `confirm` with no. */
  readonly declined?: Say
  /** How a caller says yes, says no, and asks for the last words again. */
  readonly yes?: readonly string[]
  readonly no?: readonly string[]
  readonly repeat?: readonly string[]
}

/** A phrase that can be found, and written down for a grammar. */
export interface Pattern {
  readonly text: string
  readonly matcher: PhraseMatcher
}

export interface Rule extends Intent {
  readonly name: string
  readonly patterns: readonly Pattern[]
  /** Every slot that it speaks of. */
  readonly slots: ReadonlySet<string>
}

/** The options, read and checked. */
export interface Rules {
  readonly rules: readonly Rule[]
  readonly yes: readonly Pattern[]
  readonly no: readonly Pattern[]
  readonly repeat: readonly Pattern[]
  /** What is said for each value of each slot. */
  readonly values: ReadonlyMap<string, readonly (Pattern & { readonly value: string })[]>
  /** Everything that can be said, as phrases of a grammar. */
  readonly phrases: readonly string[]
}

/** What stands before the answer to a question: 'on monday', 'at ten'. */
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
  const said = [...rules.flatMap(({ patterns }) => patterns), ...read.repeat]
  if (confirms) said.push(...read.yes, ...read.no)
  said.push(...fragmentsOf(rules).map(pattern))
  return { ...read, phrases: [...new Set(said.map(({ text }) => text))] }
}

/** Short answers to the questions of the rules: each slot alone, and all of a rule together. */
function fragmentsOf(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ needs = {} }) => {
    const asked = Object.keys(needs).map((name) => `${LEAD} {${name}}`)
    return asked.length > 1 ? [...asked, asked.join(' ')] : asked
  })
}

function checkSlots({ name, slots, failed }: Rule, known: Readonly<Record<string, Phrase>>): void {
  const wanted = [...slots]
  if (typeof failed === 'object' && 'ask' in failed) wanted.push(failed.ask)
  for (const slot of wanted) {
    if (Object.hasOwn(known, slot)) continue
    const there = Object.keys(known).join(', ') || 'none'
    throw new OptionError(
      `intent '${name}' speaks of a slot '${slot}' that there is not; there are: ${there}`,
    )
  }
}
