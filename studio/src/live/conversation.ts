import {
  culpritsOf,
  type LiveEvent,
  type LiveMessage,
  type Saying,
  type Spent,
} from '../../../src/host/wire/index.ts'
import type { TransferOutcome } from '../../../src/parts/index.ts'
import { subjectText } from '../shared/words.ts'
import type { SessionReport, SessionState, TurnLatency } from '../../../src/session/index.ts'
import { latenciesOf } from './latency-figures.ts'

export type Activity = 'listening' | 'thinking' | 'speaking'

/** One entry of the transcript. Times are milliseconds since 1970. */
export type Entry = UserEntry | SpokenEntry | ToolEntry | HandoffEntry | NoteEntry

interface AnyEntry {
  readonly key: string
  /** When it began. */
  readonly at: number
}

/** A turn of the caller. */
export interface UserEntry extends AnyEntry {
  readonly kind: 'user'
  readonly text: string
  readonly endedAt: number
}

export interface HandoffEntry extends AnyEntry {
  readonly kind: 'handoff'
  readonly from: string
  readonly to: string
}

export interface NoteEntry extends AnyEntry {
  readonly kind: 'note'
  readonly tone: 'bad' | 'warn' | 'plain'
  readonly text: string
}

/** A speech of the agent. */
export interface SpokenEntry extends AnyEntry {
  readonly kind: 'agent'
  readonly endedAt?: number
  readonly speech?: number
  readonly agent?: string
  readonly heard: string
  /** The rest of the text: still to be heard while the speech plays, never heard once it was cut off. */
  readonly unheard: string
  readonly how: 'playing' | 'played' | 'interrupted' | 'failed'
  /** How long the caller waited for it, in milliseconds, if it was an answer. */
  readonly waited?: number
}

export interface ToolEntry extends AnyEntry {
  readonly kind: 'tool'
  readonly endedAt?: number
  /** The model's id of the call. */
  readonly call: string
  readonly name: string
  readonly input: string
  /** `stopped`: it was cancelled, or not approved, so it has not failed. `stuck`: it was cancelled, and ran on. */
  readonly how: 'running' | 'done' | 'stopped' | 'stuck' | 'failed'
  /** The latest progress, or the output. */
  readonly detail: string
  /** Whether somebody has to approve it, or has decided. */
  readonly approval?: 'waiting' | 'approved' | 'refused'
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
  /** When the caller began to speak, if a turn is under way. */
  readonly speaksSince?: number
  /** Numbers the keys of entries. Never decreases. */
  readonly count: number
}

/** Limits for a page that stays open for days. The host keeps as many events of a call. */
const MAX_ENTRIES = 2_000
const MAX_LATENCIES = 1_000

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
      entries: withoutRunning(conversation.entries, message.report),
      state: 'closed',
      interim: '',
      waiting: false,
      latencies: latenciesOf(turns),
      spent,
    }
  }
  if (message.type === 'snapshot') {
    const { summary, events, saying, latencies, spent } = message
    let next: Conversation = { ...emptyConversation, agent: summary.agent ?? 'Agent' }
    for (const event of events) next = applyEvent(next, event)
    next = { ...next, state: summary.state, latencies, spent, interim: '' }
    return saying ? updateSpeech(next, saying) : next
  }
  let next = message.spent ? { ...conversation, spent: message.spent } : conversation
  for (const event of message.events) next = applyEvent(next, event)
  return message.saying ? updateSpeech(next, message.saying) : next
}

/** The entries of a call that has ended: no tool is shown as running, and one that did not stop is shown as such. */
function withoutRunning(entries: readonly Entry[], report: SessionReport): readonly Entry[] {
  const ended = entries.map((entry): Entry =>
    isRunning(entry) ? { ...entry, detail: '', how: 'stopped' } : entry,
  )
  for (const { outcome, path } of culpritsOf(report)) {
    const index = ended.findLastIndex((entry) => isStopped(entry) && path.at(-1) === `tool ${entry.name}`)
    if (outcome === 'abandoned' && index >= 0) ended[index] = { ...(ended[index] as ToolEntry), how: 'stuck' }
  }
  return ended
}

const isStopped = (entry: Entry): entry is ToolEntry => entry.kind === 'tool' && entry.how === 'stopped'

export function activityOf({ entries, waiting }: Conversation): Activity {
  if (entries.some((entry) => entry.kind === 'agent' && entry.how === 'playing')) return 'speaking'
  return waiting || entries.some(isRunning) ? 'thinking' : 'listening'
}

export const runningTools = ({ entries }: Conversation): readonly ToolEntry[] => entries.filter(isRunning)

const isRunning = (entry: Entry): entry is ToolEntry => entry.kind === 'tool' && entry.how === 'running'

type EventOf<Type> = Extract<LiveEvent, { readonly type: Type }>

/** How each event changes the conversation. */
const effects: {
  readonly [Type in LiveEvent['type']]: (now: Conversation, event: EventOf<Type>) => Conversation
} = {
  state: (now, { state }) => ({ ...now, state }),
  hearing: (now, { at, text }) => ({ ...now, interim: text, speaksSince: now.speaksSince ?? at }),
  user: (now, { at, text }) => {
    const { speaksSince = at, ...before } = now
    return {
      ...add(before, { kind: 'user', at: speaksSince, endedAt: at, text }),
      interim: '',
      waiting: true,
    }
  },
  speaking: (now, event) => ({ ...updateSpeech(now, event), waiting: false }),
  spoken: (now, event) => endSpeech(now, event),
  pressed: (now, { at, keys }) =>
    keys === '' ? now : { ...addNote(now, at, 'plain', `The agent pressed ${keys}`), waiting: false },
  latency: (now, { speech, ms, stages, heard, by }) => ({
    ...(changeLast(now, isSpeech(speech), (entry) => ({ ...entry, waited: ms })) ?? now),
    latencies: [...now.latencies, { ms, stages, heard, by }].slice(-MAX_LATENCIES),
  }),
  tool: (now, { at, id: call, name, input }) =>
    add(now, { kind: 'tool', at, call, name, input, how: 'running', detail: '' }),
  progress: (now, { id, update }) => updateTool(now, id, { detail: update }),
  'tool-done': (now, { at, id, output, failed, stopped }) =>
    updateTool(now, id, {
      detail: stopped ? '' : output,
      how: stopped ? 'stopped' : failed ? 'failed' : 'done',
      endedAt: at,
    }),
  approval: (now, { id }) => updateTool(now, id, { approval: 'waiting' }),
  approved: (now, { id, approved }) => updateTool(now, id, { approval: approved ? 'approved' : 'refused' }),
  transfer: (now, { at, to, outcome, why }) =>
    outcome === undefined
      ? addNote(now, at, 'plain', `Connecting the caller to ${to}…`)
      : addNote(
          now,
          at,
          outcome === 'answered' ? 'plain' : 'warn',
          withReason(transferTexts[outcome](to), why),
        ),
  hold: (now, { at, held }) =>
    addNote(now, at, 'plain', held ? 'The caller is on hold' : 'The caller is no longer on hold'),
  line: (now, { at, connected }) =>
    connected
      ? addNote(now, at, 'plain', 'The caller is connected again')
      : addNote(now, at, 'warn', 'The connection to the caller broke'),
  fault: (now, { at, name, on }) => addNote(now, at, 'warn', `Fault “${name}” ${on ? 'on' : 'off'}`),
  answered: (now, { at, by, late }) =>
    addNote(now, at, late ? 'warn' : 'plain', `${late ? 'The carrier says: ' : ''}${answeredTexts[by]}`),
  handoff: (now, { at, from, to }) => ({ ...add(now, { kind: 'handoff', at, from, to }), agent: to }),
  guardrail: (now, { at, name, on, verdict }) =>
    addNote(
      now,
      at,
      'warn',
      `Guardrail ${name} blocked what the ${on === 'input' ? 'caller' : 'agent'} said: ${verdict}`,
    ),
  digits: (now, { at, digits }) => addNote(now, at, 'plain', `The caller pressed ${digits}`),
  warning: (now, { at, reason, left }) =>
    addNote(
      now,
      at,
      'warn',
      reason === 'budget'
        ? `The call will end soon: ${Math.round(left * 100)} % of its budget is left`
        : `The call will end in ${Math.round(left / 1_000)} s: ${capTexts[reason] ?? reason}`,
    ),
  error: (now, { at, where, error }) =>
    addNote(now, at, 'bad', `The ${subjectText(where)} failed: ${error.message}`),
}

const capTexts: Readonly<Record<string, string>> = {
  idle: 'nobody has said anything',
  'max-duration': 'its time is nearly up',
}

const answeredTexts: Readonly<Record<EventOf<'answered'>['by'], string>> = {
  person: 'A person answered',
  machine: 'An answering machine answered',
  menu: 'A telephone menu answered',
  fax: 'A fax machine answered',
  unknown: 'It is not known who answered',
}

const withReason = (text: string, why: string | undefined): string =>
  why === undefined ? text : `${text}: ${why}`

const transferTexts: Readonly<Record<TransferOutcome, (to: string) => string>> = {
  answered: (to) => `${to} answered, and has the caller now`,
  busy: (to) => `${to} is busy`,
  'no-answer': (to) => `${to} did not answer`,
  rejected: (to) => `${to} rejected the call`,
  declined: (to) => `${to} did not take the call`,
  machine: (to) => `A machine answered at ${to}`,
  failed: (to) => `The caller could not be connected to ${to}`,
  'caller-gone': (to) => `The caller hung up while ${to} was called`,
  unknown: (to) => `It is not known whether ${to} answered`,
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

const addNote = (now: Conversation, at: number, tone: NoteEntry['tone'], text: string): Conversation =>
  add(now, { kind: 'note', at, tone, text })

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
function updateSpeech(now: Conversation, { speech, text, at }: Saying): Conversation {
  const isThis = isSpeech(speech)
  const known = now.entries.findLast(isThis)
  // Late text does not change a speech that has ended.
  if (known && known.how !== 'playing') return now
  return (
    changeLast(now, isThis, (entry) => ({ ...entry, unheard: text })) ??
    add(now, { kind: 'agent', at, speech, agent: now.agent, heard: '', unheard: text, how: 'playing' })
  )
}

function endSpeech(now: Conversation, event: EventOf<'spoken'>): Conversation {
  const { at, speech, heard, how, text, agent = now.agent } = event
  const unheard = how === 'played' ? '' : restOf(text, heard)
  const changed = changeLast(now, isSpeech(speech), (entry) => ({
    ...entry,
    heard,
    unheard,
    how,
    endedAt: at,
  }))
  // A speech that never had any text is not shown.
  if (changed || text === '') return changed ?? now
  return add(now, { kind: 'agent', at, endedAt: at, speech, agent, heard, unheard, how })
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
