import type { TurnEvent, TurnTimer } from '../../../src/session/hearing/turn-events.ts'
import { countWords } from '../../../src/session/hearing/turn-words.ts'
import type { TurnWorld } from './turn-world.ts'

/** An event that may happen next. Undefined if it cannot happen. Times are small integers. */
export type Move = (world: TurnWorld) => TurnEvent | undefined

const fire =
  (timer: TurnTimer): Move =>
  ({ now, checker }) => {
    const due = checker.seen.timers[timer]
    return due !== undefined && due <= now ? { type: 'timer', timer, due, at: now } : undefined
  }
const asked =
  (score?: number): Move =>
  ({ now, machine }) => {
    const text = machine.state.turn?.asked
    if (text === undefined) return undefined
    return { type: 'judged', at: now, text, ...(score === undefined ? {} : { score }) }
  }
/** The number of words is limited to limit the number of states. */
const word =
  (type: 'interim' | 'final' | 'typed'): Move =>
  ({ now, machine }) =>
    countWords(machine.pendingWords.text) < 2
      ? { type, at: now, text: type === 'typed' ? 'b' : 'a' }
      : undefined
const begin =
  (interruptible: boolean): Move =>
  ({ now, checker }) =>
    checker.seen.sound === 'no' || checker.seen.sound === 'interrupted'
      ? { type: 'agent-started', at: now, interruptible }
      : undefined

export const moves = {
  start: ({ now }) => ({ type: 'user-started', at: now, since: now }),
  'start, noticed late': ({ now }) => ({ type: 'user-started', at: now, since: now - 1 }),
  stop: ({ now }) => ({ type: 'user-stopped', at: now, since: now }),
  'stop, noticed late': ({ now }) => ({ type: 'user-stopped', at: now, since: now - 1 }),
  interim: word('interim'),
  'interim withdrawn': ({ now }) => ({ type: 'interim', at: now, text: '' }),
  final: word('final'),
  'empty final': ({ now }) => ({ type: 'final', at: now, text: '' }),
  'stt start': ({ now }) => ({ type: 'stt-started', at: now }),
  'maybe end of turn': ({ now }) => ({ type: 'maybe-end-of-turn', at: now }),
  'turn resumed': ({ now }) => ({ type: 'turn-resumed', at: now }),
  'end of turn': ({ now }) => ({ type: 'end-of-turn', at: now }),
  'judged finished': asked(1),
  'judged unfinished': asked(0),
  'not judged': asked(),
  commit: ({ now }) => ({ type: 'commit', at: now }),
  discard: ({ now }) => ({ type: 'discard', at: now }),
  'barge in': ({ now }) => ({ type: 'barge-in', at: now }),
  type: word('typed'),
  'press 1': ({ now }) => ({ type: 'digit', at: now, digit: '1' }),
  'press #': ({ now }) => ({ type: 'digit', at: now, digit: '#' }),
  think: ({ now }) => ({ type: 'agent-thinking', at: now, thinking: true }),
  'think uninterruptibly': ({ now }) => ({
    type: 'agent-thinking',
    at: now,
    thinking: true,
    interruptible: false,
  }),
  'stop thinking': ({ now }) => ({ type: 'agent-thinking', at: now, thinking: false }),
  sound: begin(true),
  'sound uninterruptibly': begin(false),
  'stop sounding': ({ now }) => ({ type: 'agent-stopped', at: now, how: 'finished' }),
  'tool on': ({ now }) => ({ type: 'tool', at: now, running: true }),
  'tool off': ({ now }) => ({ type: 'tool', at: now, running: false }),
  end: ({ now }) => ({ type: 'ending', at: now }),
  'live again': ({ now }) => ({ type: 'live', at: now }),
  'end with a goodbye': ({ now }) => ({ type: 'ending', at: now, bargeIn: true }),
  'fire endpoint': fire('endpoint'),
  'fire barge-in': fire('barge-in'),
  'fire false-interruption': fire('false-interruption'),
  'fire stable': fire('stable'),
  'fire idle': fire('idle'),
  'fire digits': fire('digits'),
} satisfies Record<string, Move>
export type MoveName = keyof typeof moves

export const always: readonly MoveName[] = [
  'fire endpoint',
  'fire barge-in',
  'fire false-interruption',
  'fire stable',
  'fire idle',
  'fire digits',
]
export const talk: readonly MoveName[] = ['start', 'stop', 'final', 'empty final']
export const late: readonly MoveName[] = ['start, noticed late', 'stop, noticed late']
export const unsure: readonly MoveName[] = ['interim', 'interim withdrawn']
export const speech: readonly MoveName[] = ['sound', 'stop sounding']
