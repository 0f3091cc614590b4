import type { Message, ToolDescription } from '../../parts/index.ts'
import type { Pattern, Rule, Rules } from './dialogue-rules.ts'
import { plainWords } from './plain-words.ts'

/** The outcome of the tool that an intent called. */
export interface ToolOutcome {
  readonly output: string
  readonly failed: boolean
}

export interface DialogueState {
  /** The caller's current or last intent. */
  readonly rule: Rule | undefined
  readonly slots: Readonly<Record<string, string>>
  /** Whether the caller has confirmed the intent. */
  readonly confirmed: boolean
  /** Set once the intent's tool has returned. */
  readonly outcome: ToolOutcome | undefined
  /** The kind of the caller's last message. */
  readonly heard: 'nothing' | 'intent' | 'unknown' | 'no' | 'repeat'
  /** How many messages in a row were not understood. */
  readonly misses: number
  /** The agent's last message. */
  readonly lastAnswer: string
  /** The number of tool calls so far. */
  readonly calls: number
}

const START: DialogueState = {
  rule: undefined,
  slots: {},
  confirmed: false,
  outcome: undefined,
  heard: 'nothing',
  misses: 0,
  lastAnswer: '',
  calls: 0,
}

/** The intents that an agent with these tools can handle. */
export function rulesFor({ rules }: Rules, tools: readonly ToolDescription[]): readonly Rule[] {
  const names = new Set(tools.map(({ name }) => name))
  return rules.filter(({ call }) => call === undefined || names.has(call))
}

/**
 * Computes the state from the messages alone, so that a conversation can be resumed, and an interruption leaves no trace
 * of what was not heard.
 */
export function readState(rules: Rules, known: readonly Rule[], messages: readonly Message[]): DialogueState {
  let state = START
  for (const message of messages) {
    if (message.role === 'user') state = afterUser(state, plainWords(message.text), rules, known)
    else if (message.role === 'agent') state = { ...state, lastAnswer: message.text }
    else if (message.role === 'tool-call') state = { ...state, calls: state.calls + 1 }
    else if (message.role === 'tool-result' && state.rule?.call === message.name)
      state = afterTool(state, state.rule, message)
  }
  return state
}

/** The names of the slots that still have to be asked for. */
export function missingSlots({ rule, slots }: DialogueState): string[] {
  return Object.keys(rule?.needs ?? {}).filter((name) => slots[name] === undefined)
}

/** Whether everything is known and the caller has to confirm it. */
export function needsConfirmation(state: DialogueState): boolean {
  const { rule, confirmed, outcome } = state
  return rule?.confirm !== undefined && !confirmed && !outcome && missingSlots(state).length === 0
}

/** Whether the intent still needs a slot or its tool. */
function isUnfinished(state: DialogueState): boolean {
  const { rule, outcome } = state
  return rule !== undefined && (missingSlots(state).length > 0 || (rule.call !== undefined && !outcome))
}

/** Forgets the slot that has to be asked for again after a failure. */
function afterTool(
  state: DialogueState,
  { failed }: Rule,
  { output, failed: hasFailed }: ToolOutcome,
): DialogueState {
  const outcome = { output, failed: hasFailed }
  if (!hasFailed || typeof failed !== 'object' || !('ask' in failed)) return { ...state, outcome }
  const { [failed.ask]: _, ...slots } = state.slots
  return { ...state, outcome, slots }
}

function afterUser(state: DialogueState, words: string, rules: Rules, known: readonly Rule[]): DialogueState {
  const unfinished = isUnfinished(state)
  const understood = { ...state, heard: 'intent', misses: 0 } as const
  if (needsConfirmation(state)) {
    if (matchesAny(rules.no, words)) return { ...understood, rule: undefined, slots: {}, heard: 'no' }
    if (matchesAny(rules.yes, words)) return { ...understood, confirmed: true }
  }
  const found = slotsIn(words, rules)
  const rule = bestRule(known, words)
  if (rule) {
    // A caller who repeats an unfinished intent keeps the slots known so far.
    const before = unfinished && state.rule === rule ? state.slots : {}
    const slots = { ...before, ...slotsOfRule(found, rule) }
    return { ...understood, rule, slots, confirmed: false, outcome: undefined }
  }
  if (matchesAny(rules.repeat, words)) return { ...state, heard: 'repeat' }
  // 'On Tuesday' answers a question, or repeats an intent without a tool for another day. It never books again.
  const canContinue = unfinished || state.rule?.call === undefined
  const more = state.rule && canContinue ? slotsOfRule(found, state.rule) : {}
  if (Object.keys(more).length > 0)
    return { ...understood, slots: { ...state.slots, ...more }, confirmed: false, outcome: undefined }
  return { ...state, heard: 'unknown', misses: state.misses + 1 }
}

const matchesAny = (patterns: readonly Pattern[], words: string): boolean =>
  patterns.some(({ matcher }) => matcher.find(words) !== undefined)

/** The intent with the longest match. */
function bestRule(known: readonly Rule[], words: string): Rule | undefined {
  const candidates = known.flatMap((rule) => rule.patterns.map(({ matcher }) => ({ rule, matcher })))
  return longestMatch(candidates, words)?.rule
}

/** The values of all slots that are mentioned. */
function slotsIn(words: string, { values }: Rules): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, list] of values) {
    const value = longestMatch(list, words)?.value
    if (value !== undefined) found[name] = value
  }
  return found
}

/** The candidate with the longest match, or the first of several. */
function longestMatch<T extends Pick<Pattern, 'matcher'>>(
  candidates: readonly T[],
  words: string,
): T | undefined {
  let longest = 0
  let best: T | undefined
  for (const candidate of candidates) {
    const { length } = candidate.matcher.find(words) ?? ''
    if (length <= longest) continue
    longest = length
    best = candidate
  }
  return best
}

function slotsOfRule(found: Readonly<Record<string, string>>, { slots }: Rule): Record<string, string> {
  return Object.fromEntries(Object.entries(found).filter(([name]) => slots.has(name)))
}
