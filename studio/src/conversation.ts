import type { LiveEvent, LiveMessage, Saying } from '../../src/host/wire.ts'
import type { HistoryItem } from '../../src/session/index.ts'
import type { SessionState } from '../../src/session/index.ts'

/** What the agent does, as the caller would say it. */
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

/**
 * Something that the agent says. `heard` reached the caller. `rest` is on its way while it sounds; of one that was cut
 * off, nobody heard it.
 */
export interface SpokenEntry {
  readonly kind: 'agent'
  readonly key: string
  readonly speech?: number
  readonly agent?: string
  readonly heard: string
  readonly rest: string
  readonly how: 'sounding' | 'played' | 'interrupted' | 'failed'
}

export interface ToolEntry {
  readonly kind: 'tool'
  readonly key: string
  /** The model's name for the call. */
  readonly call: string
  readonly name: string
  readonly input: string
  readonly how: 'running' | 'done' | 'failed'
  /** The last word of its progress, or its output. */
  readonly says: string
}

export interface Conversation {
  readonly state: SessionState
  readonly entries: readonly Entry[]
  /** What the user seems to be saying. */
  readonly hearing: string
  /** The user has finished, and nothing of an answer has sounded yet. */
  readonly waiting: boolean
  /** From the end of the user's speech to the first sound of the answer, turn by turn. */
  readonly latencies: readonly number[]
  /** Who speaks now. */
  readonly agent: string
  /** For keys of entries: it only grows. */
  readonly count: number
}

/** Entries that are kept: a page that is open for days must not grow for ever. The report has them all. */
const mostEntries = 500
const mostLatencies = 200

export const nothingSaid: Conversation = {
  state: 'new',
  entries: [],
  hearing: '',
  waiting: false,
  latencies: [],
  agent: 'Agent',
  count: 0,
}

/** The conversation after a message of the session's stream. */
export function tell(before: Conversation, message: LiveMessage): Conversation {
  if (message.type === 'closed') return { ...before, state: 'closed', hearing: '', waiting: false }
  if (message.type === 'snapshot') {
    const { summary, items, saying, latencies } = message
    const entries = items.map(entryOf)
    const agent = agentOf(items) ?? summary.agent ?? 'Agent'
    const now = { ...nothingSaid, state: summary.state, entries, latencies, agent, count: items.length }
    return saying ? say(now, saying) : now
  }
  let now = before
  for (const event of message.events) now = happened(now, event)
  return message.saying ? say(now, message.saying) : now
}

export function activityOf({ entries, waiting }: Conversation): Activity {
  if (entries.some((entry) => entry.kind === 'agent' && entry.how === 'sounding')) return 'speaking'
  return waiting || entries.some(isRunning) ? 'thinking' : 'listening'
}

export const runningTools = ({ entries }: Conversation): readonly ToolEntry[] => entries.filter(isRunning)

const isRunning = (entry: Entry): entry is ToolEntry => entry.kind === 'tool' && entry.how === 'running'

/** The transcript of a report, which has only what was heard. */
export const transcriptOf = (items: readonly HistoryItem[]): Entry[] => items.map(entryOf)

/** The agent that spoke last, or was handed over to. */
function agentOf(items: readonly HistoryItem[]): string | undefined {
  const names = items.map((item) =>
    item.type === 'handoff' ? item.to : item.type === 'message' ? item.agent : undefined,
  )
  return names.findLast((name) => name !== undefined)
}

function entryOf(item: HistoryItem): Entry {
  const key = item.id
  if (item.type === 'handoff') return { kind: 'handoff', key, from: item.from, to: item.to }
  if (item.type === 'tool') {
    const { call, name, input, result } = item
    const how = result ? (result.failed ? 'failed' : 'done') : 'running'
    return { kind: 'tool', key, call, name, input, how, says: result?.output ?? '' }
  }
  const { role, text, interrupted, agent } = item
  if (role === 'user') return { kind: 'user', key, text }
  const how = interrupted ? 'interrupted' : 'played'
  return { kind: 'agent', key, ...(agent === undefined ? {} : { agent }), heard: text, rest: '', how }
}

type EventOf<Type> = Extract<LiveEvent, { readonly type: Type }>

/** What each event does to the conversation. */
const effects: {
  readonly [Type in LiveEvent['type']]: (now: Conversation, event: EventOf<Type>) => Conversation
} = {
  state: (now, { state }) => ({ ...now, state }),
  hearing: (now, { text }) => ({ ...now, hearing: text }),
  user: (now, { text }) => ({ ...add(now, { kind: 'user', text }), hearing: '', waiting: true }),
  speaking: (now, event) => ({ ...say(now, event), waiting: false }),
  spoken: (now, event) => spoken(now, event),
  latency: (now, { ms }) => ({ ...now, latencies: [...now.latencies, ms].slice(-mostLatencies) }),
  tool: (now, { id: call, name, input }) =>
    add(now, { kind: 'tool', call, name, input, how: 'running', says: '' }),
  progress: (now, { id, update }) => toolSays(now, id, { says: update }),
  'tool-done': (now, { id, output, failed }) =>
    toolSays(now, id, { says: output, how: failed ? 'failed' : 'done' }),
  approval: (now, { name }) => note(now, 'warn', `${name} waits for an approval`),
  handoff: (now, { from, to }) => ({ ...add(now, { kind: 'handoff', from, to }), agent: to }),
  guardrail: (now, { name, on, verdict }) =>
    note(now, 'warn', `guardrail ${name} stopped the ${on}: ${verdict}`),
  digits: (now, { digits }) => note(now, 'plain', `pressed ${digits}`),
  warning: (now, { reason, left }) => note(now, 'warn', `${reason}: ends in ${Math.round(left / 1_000)} s`),
  error: (now, { where, error }) => note(now, 'bad', `${where} failed: ${error.message}`),
}

function happened(now: Conversation, event: LiveEvent): Conversation {
  // Each type has its own effect: what fits the type fits its function.
  const effect = effects[event.type] as ((now: Conversation, event: LiveEvent) => Conversation) | undefined
  // A newer host may tell of more than this page knows.
  return effect ? effect(now, event) : now
}

type New<E> = E extends Entry ? Omit<E, 'key'> : never

function add(now: Conversation, entry: New<Entry>): Conversation {
  const count = now.count + 1
  const entries = [...now.entries, { ...entry, key: `n${count}` } as Entry].slice(-mostEntries)
  return { ...now, entries, count }
}

const note = (now: Conversation, tone: 'bad' | 'warn' | 'plain', text: string): Conversation =>
  add(now, { kind: 'note', tone, text })

/** The last of those that match is replaced; models use the names of calls again. */
function change<E extends Entry>(
  now: Conversation,
  matches: (entry: Entry) => entry is E,
  become: (entry: E) => E,
): Conversation | undefined {
  const index = now.entries.findLastIndex(matches)
  if (index < 0) return undefined
  return { ...now, entries: now.entries.with(index, become(now.entries[index] as E)) }
}

/** The words on their way: of a speech that is known already there may be more. */
function say(now: Conversation, { speech, text }: Saying): Conversation {
  const same = (entry: Entry): entry is SpokenEntry => entry.kind === 'agent' && entry.speech === speech
  const known = now.entries.findLast(same)
  // What is over is over, whatever comes late.
  if (known && known.how !== 'sounding') return now
  const changed = change(now, same, (entry) => ({ ...entry, rest: text }))
  return (
    changed ?? add(now, { kind: 'agent', speech, agent: now.agent, heard: '', rest: text, how: 'sounding' })
  )
}

function spoken(now: Conversation, event: LiveEvent & { readonly type: 'spoken' }): Conversation {
  const { speech, heard, how, text } = event
  const same = (entry: Entry): entry is SpokenEntry => entry.kind === 'agent' && entry.speech === speech
  const rest = how === 'played' ? '' : restOf(text, heard)
  const changed = change(now, same, (entry) => ({ ...entry, heard, rest, how }))
  // One that never sounded, and was not said either, is nobody's business.
  if (changed || text === '') return changed ?? now
  return add(now, { kind: 'agent', speech, agent: now.agent, heard, rest, how })
}

/** What is left of a text when its beginning was heard. */
export function restOf(text: string, heard: string): string {
  const said = heard.trimEnd()
  if (text.startsWith(said)) return text.slice(said.length)
  // What was heard was put together from words: spaces may differ.
  let at = 0
  for (const character of said.replaceAll(/\s/g, '')) {
    while (/\s/.test(text[at] ?? '')) at++
    if (text[at] !== character) return text.slice(at)
    at++
  }
  return text.slice(at)
}

function toolSays(now: Conversation, call: string, news: Partial<ToolEntry>): Conversation {
  const same = (entry: Entry): entry is ToolEntry => isRunning(entry) && entry.call === call
  return change(now, same, (entry) => ({ ...entry, ...news })) ?? now
}
