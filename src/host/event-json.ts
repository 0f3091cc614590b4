import { describeError } from '../scope/index.ts'
import type { SessionEvents } from '../session/index.ts'
import { limits } from './limits.ts'
import type { LiveEvent } from './wire/index.ts'

type UntimedEvent = LiveEvent extends infer Event
  ? Event extends { at: number }
    ? Omit<Event, 'at'>
    : never
  : never

/** Converts each event of a session to plain JSON of bounded size, for the page. */
export const eventJson: {
  readonly [Name in LiveEvent['type'] & keyof SessionEvents]: (data: SessionEvents[Name]) => UntimedEvent
} = {
  state: ({ state }) => ({ type: 'state', state }),
  hearing: ({ text }) => ({ type: 'hearing', text: clip(text) }),
  user: ({ text }) => ({ type: 'user', text: clip(text) }),
  speaking: ({ speech }) => ({ type: 'speaking', speech: speech.id, text: clip(speech.text) }),
  spoken: ({ speech, outcome: { how, heard, confirmed } }) => ({
    type: 'spoken',
    speech: speech.id,
    text: clip(speech.text),
    heard: clip(heard),
    how,
    confirmed,
  }),
  pressed: ({ outcome: { keys, how, confirmed } }) => ({ type: 'pressed', keys: clip(keys), how, confirmed }),
  latency: ({ speech, ...latency }) => ({ type: 'latency', speech: speech.id, ...latency }),
  tool: ({ id, name, input }) => ({ type: 'tool', id, name, input: clip(input) }),
  progress: ({ id, name, update }) => ({ type: 'progress', id, name, update: clip(update) }),
  'tool-done': ({ id, name, outcome: { output, failed, stopped } }) => ({
    type: 'tool-done',
    id,
    name,
    output: clip(output),
    failed,
    ...(stopped ? { stopped } : {}),
  }),
  approval: ({ id, name }) => ({ type: 'approval', id, name }),
  transfer: ({ to, outcome, why }) => ({
    type: 'transfer',
    to: clip(to),
    ...(outcome ? { outcome } : {}),
    ...(why === undefined ? {} : { why: clip(why) }),
  }),
  hold: ({ held }) => ({ type: 'hold', held }),
  line: ({ connected }) => ({ type: 'line', connected }),
  handoff: ({ from, to }) => ({ type: 'handoff', from, to }),
  answered: ({ by, how, late }) => ({ type: 'answered', by, how, late }),
  guardrail: ({ name, on, verdict }) => ({ type: 'guardrail', name, on, verdict: clip(verdict) }),
  digits: ({ digits }) => ({ type: 'digits', digits: clip(digits) }),
  warning: ({ reason, left }) => ({ type: 'warning', reason, left }),
  error: ({ where, error }) => ({ type: 'error', where: clip(where), error: describeError(error) }),
}

export type SessionEventName = keyof typeof eventJson

export const eventNames = Object.keys(eventJson) as SessionEventName[]

/** Cuts a text to `limits.text` characters. */
export function clip(text: string): string {
  return text.length <= limits.text ? text : `${text.slice(0, limits.text - 1)}…`
}
