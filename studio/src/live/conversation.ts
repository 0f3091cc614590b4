import type { LiveEvent, LiveMessage, Saying, Spent } from '../../../src/host/wire/index.ts'
import type { HistoryItem, SessionState, TurnLatency } from '../../../src/session/index.ts'
import { latenciesOf } from './latency-figures.ts'

export type Activity = 'listening' | 'thinking' | 'speaking'

/** One entry of the transcript. */
export type Entry =
  | { readonly kind: 'user'; readonly key: string; readonly text: string }
  | SpokenEntry
  | ToolEntry
  | { readonly kind: 'handoff'; readonly key: string; readonly from: string; readonly to: string }
  | {
      readonly kind: 'note'
      readonly key: string
      readonly tone: 'bad' | 'warn' | 'plain'
      readonly text: string
    }

/** A speech of the agent. */
export interface SpokenEntry {
  readonly kind: 'agent'
  readonly key: string
  readonly speech?: number
  readonly agent?: string
  readonly heard: string
  /** The rest of the text: still to be heard while the speech plays, never heard once it was cut off. */
  readonly unheard: string
  readonly how: 'playing' | 'played' | 'interrupted' | 'failed'
}

export interface ToolEntry {
  readonly kind: 'tool'
  readonly key: string
  /** The model's id of the call. */
  readonly call: string
  readonly name: string
  readonly input: string
  readonly how: 'running' | 'done' | 'failed'
  /** The latest progress, or the output. */
  readonly detail: string
}

export interface Conversation {
  readonly state: SessionState
  readonly entries: readonly Entry[]
  /** The interim transcript of the user's speech. */
  readonly interim: string
  /** Whether the user's turn has ended and no sound of the answer has played yet. */
  readonly waiting: boolean
  /** How long the user waited for each answer, and for what. */
  readonly latencies: readonly TurnLatency[]
  /** What the call has used and cost so far. Undefined until the host has said it. */
  readonly spent: Spent | undefined
  /** The agent that is speaking to the user. */
  readonly agent: string
  /** Numbers the keys of entries. Never decreases. */
  readonly count: number
}

/** Limits for a page that stays open for days. The report has all entries. */
const MAX_ENTRIES = 500
const MAX_LATENCIES = 200

export const emptyConversation: Conversation = {
  state: 'new',
  entries: [],
  interim: '',
  waiting: false,
  latencies: [],
  spent: undefined,
  agent: 'Agent',
  count: 0,
}

/** The conversation after a message of the session's stream. */
export function applyToConversation(conversation: Conversation, message: LiveMessage): Conversation {
  if (message.type === 'closed') {
    const { turns, usage, cost } = message.report
    const spent = { usage, ...(cost ? { cost } : {}) }
    return {
      ...conversation,
      state: 'closed',
      interim: '',
      waiting: false,
      latencies: latenciesOf(turns),
      spent,
    }
  }
  if (message.type === 'snapshot') {
    const { summary, items, saying, latencies, spent } = message
    const entries = items.map(entryOf)
    const agent = agentOf(items) ?? summary.agent ?? 'Agent'
    const next = {
      ...emptyConversation,
      state: summary.state,
      entries,
      latencies,
      spent,
      agent,
      count: items.length,
    }
    return saying ? updateSpeech(next, saying) : next
  }
  let next = message.spent ? { ...conversation, spent: message.spent } : conversation
  for (const event of message.events) next = applyEvent(next, event)
  return message.saying ? updateSpeech(next, message.saying) : next
}

export function activityOf({ entries, waiting }: Conversation): Activity {
  if (entries.some((entry) => entry.kind === 'agent' && entry.how === 'playing')) return 'speaking'
  return waiting || entries.some(isRunning) ? 'thinking' : 'listening'
}

export const runningTools = ({ entries }: Conversation): readonly ToolEntry[] => entries.filter(isRunning)

const isRunning = (entry: Entry): entry is ToolEntry => entry.kind === 'tool' && entry.how === 'running'

/** The entries of a report's transcript, which contains only what was heard. */
export const entriesOf = (items: readonly HistoryItem[]): Entry[] => items.map(entryOf)

/** The agent that spoke last, or took over last. */
function agentOf(items: readonly HistoryItem[]): string | undefined {
  const names = items.map((item) =>
    item.type === 'handoff' ? item.to : item.type === 'message' ? item.agent : undefined,
  )
  return names.findLast((name) => name !== undefined)
}

function entryOf(item: HistoryItem): Entry {
  const key = item.id
  if (item.type === 'handoff') return { kind: 'handoff', key, from: item.from, to: item.to }
  if (item.type === 'keys') return { kind: 'note', key, tone: 'plain', text: pressedText(item.keys) }
  if (item.type === 'tool') {
    const { call, name, input, result } = item
    const how = result ? (result.failed ? 'failed' : 'done') : 'running'
    return { kind: 'tool', key, call, name, input, how, detail: result?.output ?? '' }
  }
  const { role, text, interrupted, agent } = item
  if (role === 'user') return { kind: 'user', key, text }
  const how = interrupted ? 'interrupted' : 'played'
  return { kind: 'agent', key, ...(agent === undefined ? {} : { agent }), heard: text, unheard: '', how }
}

const pressedText = (keys: string): string => `The agent pressed ${keys}`

type EventOf<Type> = Extract<LiveEvent, { readonly type: Type }>

/** How each event changes the conversation. */
const effects: {
  readonly [Type in LiveEvent['type']]: (now: Conversation, event: EventOf<Type>) => Conversation
} = {
  state: (now, { state }) => ({ ...now, state }),
  hearing: (now, { text }) => ({ ...now, interim: text }),
  user: (now, { text }) => ({ ...add(now, { kind: 'user', text }), interim: '', waiting: true }),
  speaking: (now, event) => ({ ...updateSpeech(now, event), waiting: false }),
  spoken: (now, event) => endSpeech(now, event),
  pressed: (now, { keys }) =>
    keys === '' ? now : { ...addNote(now, 'plain', pressedText(keys)), waiting: false },
  latency: (now, { ms, stages, heard, by }) => ({
    ...now,
    latencies: [...now.latencies, { ms, stages, heard, by }].slice(-MAX_LATENCIES),
  }),
  tool: (now, { id: call, name, input }) =>
    add(now, { kind: 'tool', call, name, input, how: 'running', detail: '' }),
  progress: (now, { id, update }) => updateTool(now, id, { detail: update }),
  'tool-done': (now, { id, output, failed }) =>
    updateTool(now, id, { detail: output, how: failed ? 'failed' : 'done' }),
  approval: (now, { name }) => addNote(now, 'warn', `${name} is waiting for approval`),
  handoff: (now, { from, to }) => ({ ...add(now, { kind: 'handoff', from, to }), agent: to }),
  guardrail: (now, { name, on, verdict }) =>
    addNote(now, 'warn', `Guardrail ${name} blocked the ${on}: ${verdict}`),
  digits: (now, { digits }) => addNote(now, 'plain', `Pressed ${digits}`),
  warning: (now, { reason, left }) =>
    addNote(now, 'warn', `The session ends in ${Math.round(left / 1_000)} s (${reason})`),
  error: (now, { where, error }) => addNote(now, 'bad', `${where} failed: ${error.message}`),
}

function applyEvent(now: Conversation, event: LiveEvent): Conversation {
  // An effect takes the event of its own type, which the compiler cannot follow.
  const effect = effects[event.type] as ((now: Conversation, event: LiveEvent) => Conversation) | undefined
  // A newer host may send events that this page does not know.
  return effect ? effect(now, event) : now
}

type New<E> = E extends Entry ? Omit<E, 'key'> : never

function add(now: Conversation, entry: New<Entry>): Conversation {
  const count = now.count + 1
  const entries = [...now.entries, { ...entry, key: `n${count}` } as Entry].slice(-MAX_ENTRIES)
  return { ...now, entries, count }
}

const addNote = (now: Conversation, tone: 'bad' | 'warn' | 'plain', text: string): Conversation =>
  add(now, { kind: 'note', tone, text })

/** Changes the last entry that matches: models reuse the ids of calls. */
function changeLast<E extends Entry>(
  now: Conversation,
  matches: (entry: Entry) => entry is E,
  change: (entry: E) => E,
): Conversation | undefined {
  const index = now.entries.findLastIndex(matches)
  if (index < 0) return undefined
  return { ...now, entries: now.entries.with(index, change(now.entries[index] as E)) }
}

const isSpeech =
  (speech: number) =>
  (entry: Entry): entry is SpokenEntry =>
    entry.kind === 'agent' && entry.speech === speech

/** Adds a speech that plays, or more text to it. */
function updateSpeech(now: Conversation, { speech, text }: Saying): Conversation {
  const isThis = isSpeech(speech)
  const known = now.entries.findLast(isThis)
  // Late text does not change a speech that has ended.
  if (known && known.how !== 'playing') return now
  return (
    changeLast(now, isThis, (entry) => ({ ...entry, unheard: text })) ??
    add(now, { kind: 'agent', speech, agent: now.agent, heard: '', unheard: text, how: 'playing' })
  )
}

function endSpeech(now: Conversation, { speech, heard, how, text }: EventOf<'spoken'>): Conversation {
  const unheard = how === 'played' ? '' : restOf(text, heard)
  const changed = changeLast(now, isSpeech(speech), (entry) => ({ ...entry, heard, unheard, how }))
  // A speech that never had any text is not shown.
  if (changed || text === '') return changed ?? now
  return add(now, { kind: 'agent', speech, agent: now.agent, heard, unheard, how })
}

/** The rest of a text of which the beginning was heard. */
export function restOf(text: string, heard: string): string {
  const beginning = heard.trimEnd()
  if (text.startsWith(beginning)) return text.slice(beginning.length)
  // The heard text is put together from words, so its spaces may differ.
  let at = 0
  for (const character of beginning.replaceAll(/\s/g, '')) {
    while (/\s/.test(text[at] ?? '')) at++
    if (text[at] !== character) return text.slice(at)
    at++
  }
  return text.slice(at)
}

function updateTool(now: Conversation, call: string, news: Partial<ToolEntry>): Conversation {
  const isThis = (entry: Entry): entry is ToolEntry => isRunning(entry) && entry.call === call
  return changeLast(now, isThis, (entry) => ({ ...entry, ...news })) ?? now
}
