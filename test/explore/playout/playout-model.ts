import type {
  PlayoutEvent,
  PlayoutSettings,
  PlayoutTimer,
} from '../../../src/session/speaking/playout-machine.ts'
import { stateKeys, type KeyPart, type Model } from '../../../src/testing/index.ts'
import { isDue, left, nextTimer } from '../timed.ts'
import { PlayoutWorld, type Speech } from './playout-world.ts'

type Happening = PlayoutEvent | 'wait' | 'progress'
type Move = (world: PlayoutWorld) => Happening | undefined

/** A closing session queues nothing. The number of speeches is limited to limit the number of states. */
const queue =
  (priority: number): Move =>
  ({ now, lastId, speeches, muted }) =>
    speeches.size < 2 && !muted ? { type: 'queue', at: now, id: lastId + 1, priority } : undefined
const made =
  (failed: boolean, ahead: number): Move =>
  ({ now, current }) =>
    current && !current.made
      ? { type: 'made', at: now, id: current.id, failed, endsAt: now + ahead }
      : undefined
/** The line returns the mark of the oldest speech that waits for it. */
const confirm =
  (assumed: boolean): Move =>
  ({ now, speeches, again }) => {
    const marked = [...speeches.values()].find((speech) => speech.marked && speech.id !== again)
    return marked && { type: 'confirmed', at: now, id: marked.id, assumed }
  }

export const moves = {
  queue: queue(0),
  'queue with priority': queue(1),
  sounding: ({ now, current }) =>
    current && !current.made && !current.audible ? { type: 'sounding', at: now, id: current.id } : undefined,
  made: made(false, 0),
  'made, to be heard later': made(false, 2),
  failed: made(true, 0),
  progress: ({ current }) => (current && !current.made ? 'progress' : undefined),
  confirmed: confirm(false),
  assumed: confirm(true),
  'an old mark': ({ now }) => ({ type: 'confirmed', at: now, id: undefined }),
  interrupt: ({ now, current }) => current && { type: 'interrupt', at: now, id: current.id },
  'interrupt the next': ({ now, machine }) =>
    machine.queue[0] === undefined ? undefined : { type: 'interrupt', at: now, id: machine.queue[0] },
  pause: ({ now }) => ({ type: 'pause', at: now }),
  resume: ({ now }) => ({ type: 'resume', at: now }),
  'wait for the line': ({ now }) => ({ type: 'wait-for-line', at: now, wait: true }),
  'do not wait': ({ now }) => ({ type: 'wait-for-line', at: now, wait: false }),
  away: ({ now }) => ({ type: 'away', at: now, away: true }),
  back: ({ now }) => ({ type: 'away', at: now, away: false }),
  mute: ({ now }) => ({ type: 'mute', at: now }),
} satisfies Record<string, Move>
export type MoveName = keyof typeof moves

/** What cannot fail to happen: time passes, a speech is sent again, and a close silences what is still to be heard. */
const fair = {
  'sent again': ({ now, again }) =>
    again === undefined ? undefined : { type: 'sent-again', at: now, id: again, endsAt: now + 1 },
  'interrupted by the close': ({ now, muted, machine, current }) => {
    const id = machine.queue[0] ?? current?.id
    return muted && id !== undefined ? { type: 'interrupt', at: now, id } : undefined
  },
  silence: ({ now, muted, machine, current, speeches }) =>
    muted && machine.queue.length === 0 && !current && speeches.size > 0
      ? { type: 'silence', at: now }
      : undefined,
  timer: (world) => {
    const next = nextTimer(world)
    if (!next || next[1] > world.now) return undefined
    const [timer, due] = next as [PlayoutTimer, number]
    return { type: 'timer', at: world.now, timer, due, soundUntil: world.soundUntil }
  },
  wait: (world) => {
    const answers = world.again !== undefined || (world.muted && world.speeches.size > 0)
    return isDue(world) || answers ? undefined : 'wait'
  },
} satisfies Record<string, Move>

/** The speech that is watched: once it has begun, it must end, however many others follow. */
const FIRST = 1
const isBegun = (speech: Speech | undefined): boolean => speech !== undefined && speech.stage !== 'queued'

/**
 * A playout machine to which these moves happen in any order. A speech that has begun must end, unless the caller keeps
 * pausing it or its voice goes on forever. After `mute`, every speech must end.
 */
export function playoutModel(
  settings: PlayoutSettings,
  alphabet: readonly MoveName[],
): Model<PlayoutWorld, Happening> {
  const chosen = alphabet.map((name) => [name, moves[name]] as const)
  const isUnbounded = alphabet.includes('pause') || alphabet.includes('progress')
  const keyOf = stateKeys()
  return {
    start: new PlayoutWorld(settings),
    fork: (world) => world.fork(),
    handle: (world, event) => {
      if (event === 'wait') return void (world.now += 1)
      if (event === 'progress') return void (world.soundUntil = world.now)
      if (event.type === 'queue') world.lastId = event.id
      return world.handle(event)
    },
    moves: { ...Object.fromEntries(chosen), ...fair },
    fair: Object.keys(fair),
    mustEnd: ({ muted, speeches }) =>
      muted ? speeches.size > 0 : !isUnbounded && isBegun(speeches.get(FIRST)),
    key: (world) => {
      const { now, machine, speeches } = world
      const numbers = [...speeches.keys()]
      const { current, queue: queued, stopping, confirms, waitForLine } = machine.state
      const parts: KeyPart[] = [
        world.muted,
        world.away,
        confirms,
        waitForLine,
        world.again !== undefined,
        left(world, 'stall'),
        Math.max(-2, world.soundUntil - now),
        queued.length,
        stopping.length,
        current !== undefined,
      ]
      for (const { id, priority } of queued) parts.push(numbers.indexOf(id), id === FIRST, priority)
      for (const playing of current ? [current, ...stopping] : stopping) {
        parts.push(
          numbers.indexOf(playing.id),
          playing.id === FIRST,
          playing.phase,
          playing.audible,
          playing.paused,
          playing.made,
          playing.endsAt === Infinity ? 'never' : Math.max(0, playing.endsAt - now),
          playing.failed,
          playing.patient,
          playing.confirmed,
          left(world, `playout ${playing.id}`),
          speeches.get(playing.id)?.marked,
        )
      }
      return keyOf(parts)
    },
  }
}
