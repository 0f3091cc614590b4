import type { Message, ToolDescription } from '../../parts/index.ts'
import type { Pattern, Rule, Rules } from './dialogue-rules.ts'
import { plainWords } from './plain-words.ts'

/** What became of the tool that an intent called. */
export interface ToolEnd {
  readonly output: string
  readonly failed: boolean
}

/** How far a conversation has come. */
export interface DialogueState {
  /** What the caller wants, or wanted last. */
  readonly rule: Rule | undefined
  readonly slots: Readonly<Record<string, string>>
  /** The caller has said yes to it. */
  readonly agreed: boolean
  /** The tool has returned. */
  readonly end: ToolEnd | undefined
  /** What the caller's last words were. */
  readonly heard: 'nothing' | 'intent' | 'unknown' | 'no' | 'repeat'
  /** How many times in a row nothing was understood. */
  readonly misses: number
  /** The agent's last words. */
  readonly said: string
  /** How many tools were called. */
  readonly calls: number
}

const START: DialogueState = {
  rule: undefined,
  slots: {},
  agreed: false,
  end: undefined,
  heard: 'nothing',
  misses: 0,
  said: '',
  calls: 0,
}

/** The intents that an agent with these tools knows. */
export function knownTo({ rules }: Rules, tools: readonly ToolDescription[]): readonly Rule[] {
  const names = new Set(tools.map(({ name }) => name))
  return rules.filter(({ call }) => call === undefined || names.has(call))
}

/**
 * Reads the state off the messages, from the first to the last. Nothing else is kept: so a conversation can be resumed,
 * and an interruption leaves nothing behind that was not said.
 */
export function readState(rules: Rules, known: readonly Rule[], messages: readonly Message[]): DialogueState {
  let state = START
  for (const message of messages) {
    if (message.role === 'user') state = hear(state, plainWords(message.text), rules, known)
    else if (message.role === 'agent') state = { ...state, said: message.text }
    else if (message.role === 'tool-call') state = { ...state, calls: state.calls + 1 }
    else if (message.role === 'tool-result' && state.rule?.call === message.name)
      state = ended(state, state.rule, message)
  }
  return state
}

/** The slots that still have to be asked for. */
export function missing({ rule, slots }: DialogueState): string[] {
  return Object.keys(rule?.needs ?? {}).filter((name) => slots[name] === undefined)
}

/** All is known, and the caller has to say whether it is right. */
export function isToConfirm(state: DialogueState): boolean {
  const { rule, agreed, end } = state
  return rule?.confirm !== undefined && !agreed && !end && missing(state).length === 0
}

/** Something has still to be said or done before the intent is answered. */
function isOpen(state: DialogueState): boolean {
  const { rule, end } = state
  return rule !== undefined && (missing(state).length > 0 || (rule.call !== undefined && !end))
}

/** A slot that is to be asked for again after a failure is not known any more. */
function ended(
  state: DialogueState,
  { failed }: Rule,
  { output, failed: hasFailed }: ToolEnd,
): DialogueState {
  const end = { output, failed: hasFailed }
  if (!hasFailed || typeof failed !== 'object' || !('ask' in failed)) return { ...state, end }
  const { [failed.ask]: _, ...slots } = state.slots
  return { ...state, end, slots }
}

function hear(state: DialogueState, words: string, rules: Rules, known: readonly Rule[]): DialogueState {
  const open = isOpen(state)
  const understood = { ...state, heard: 'intent', misses: 0 } as const
  if (isToConfirm(state)) {
    if (has(rules.no, words)) return { ...understood, rule: undefined, slots: {}, heard: 'no' }
    if (has(rules.yes, words)) return { ...understood, agreed: true }
  }
  const found = slotsIn(words, rules)
  const rule = best(known, words)
  if (rule) {
    // What is known stays known if the caller says again what the intent is.
    const before = open && state.rule === rule ? state.slots : {}
    const slots = { ...before, ...ofRule(found, rule) }
    return { ...understood, rule, slots, agreed: false, end: undefined }
  }
  if (has(rules.repeat, words)) return { ...state, heard: 'repeat' }
  // 'On Tuesday' answers a question, or asks the last one again for another day; it does not book once more.
  const more = state.rule && (open || state.rule.call === undefined) ? ofRule(found, state.rule) : {}
  if (Object.keys(more).length > 0)
    return { ...understood, slots: { ...state.slots, ...more }, agreed: false, end: undefined }
  return { ...state, heard: 'unknown', misses: state.misses + 1 }
}

const has = (patterns: readonly Pattern[], words: string): boolean =>
  patterns.some(({ matcher }) => matcher.find(words) !== undefined)

/** The intent of which most was said. */
function best(known: readonly Rule[], words: string): Rule | undefined {
  const candidates = known.flatMap((rule) => rule.patterns.map(({ matcher }) => ({ of: rule, matcher })))
  return longest(candidates, words)?.of
}

/** The slots that are mentioned. */
function slotsIn(words: string, { values }: Rules): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, list] of values) {
    const value = longest(list, words)?.value
    if (value !== undefined) found[name] = value
  }
  return found
}

/** The one of which most was said; the first if several are alike. */
function longest<T extends Pick<Pattern, 'matcher'>>(candidates: readonly T[], words: string): T | undefined {
  let most = 0
  let chosen: T | undefined
  for (const candidate of candidates) {
    const { length } = candidate.matcher.find(words) ?? ''
    if (length <= most) continue
    most = length
    chosen = candidate
  }
  return chosen
}

function ofRule(found: Readonly<Record<string, string>>, { slots }: Rule): Record<string, string> {
  return Object.fromEntries(Object.entries(found).filter(([name]) => slots.has(name)))
}
