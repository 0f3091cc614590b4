import type { EndClass } from '../../../src/link/link-end.ts'
import type { LinkEvent, LinkTimer } from '../../../src/link/link-events.ts'
import type { LinkSettings } from '../../../src/link/link-settings.ts'
import type { ConnectionState } from '../../../src/link/link-state.ts'
import { stateKeys, type KeyPart, type Model } from '../../../src/testing/index.ts'
import { isDue, left, nextTimer } from '../timed.ts'
import { LinkWorld } from './link-world.ts'

type Happening = LinkEvent | 'wait'
type Move = (world: LinkWorld) => Happening | undefined

const whole = (type: 'wake' | 'overflow' | 'broken' | 'intent' | 'close' | 'abort'): Move => {
  return ({ now, machine }) => (machine.state.closed ? undefined : { type, at: now })
}

/** One of the link's connections. */
const generationOf = {
  current: ({ machine: { state } }: LinkWorld) => state.current?.generation,
  next: ({ machine: { state } }: LinkWorld) => state.next?.generation,
  retiring: ({ machine: { state } }: LinkWorld) => state.retiring?.generation,
  closing: ({ machine: { state } }: LinkWorld) => state.closing?.generation,
}
const of =
  (which: keyof typeof generationOf, event: (at: number, generation: number) => LinkEvent): Move =>
  (world) => {
    const generation = generationOf[which](world)
    return generation === undefined || world.machine.state.closed ? undefined : event(world.now, generation)
  }

/** A socket ends once. Its end may have been announced in a message before. */
const ends =
  (
    which: keyof typeof generationOf,
    as: EndClass,
    given: { announced?: boolean; resumable?: boolean } = {},
  ): Move =>
  (world) => {
    const generation = generationOf[which](world)
    if (generation === undefined || !world.sockets.has(generation)) return undefined
    const { announced: socketOpen = false, resumable = true } = given
    return { type: 'ended', at: world.now, generation, end: { class: as }, socketOpen, resumable, jitter: 1 }
  }

export const moves = {
  opened: of('next', (at, generation) => ({ type: 'opened', at, generation })),
  ready: of('next', (at, generation) => ({ type: 'ready', at, generation })),
  answered: of('current', (at, generation) => ({ type: 'answered', at, generation })),
  dropped: ends('current', 'dropped'),
  'dropped for good': ends('current', 'dropped', { resumable: false }),
  'end announced': ends('current', 'dropped', { announced: true }),
  'unused for long': ends('current', 'idle'),
  expired: ends('current', 'expired'),
  fatal: ends('current', 'fatal'),
  refused: ends('next', 'refused'),
  'refused for good': ends('next', 'fatal'),
  'retiring one ends': ends('retiring', 'asked'),
  'closing one ends': ends('closing', 'asked'),
  acknowledged: of('closing', (at, generation) => ({ type: 'acknowledged', at, generation })),
  'roll over': of('current', (at, generation) => ({ type: 'roll-over', at, generation, after: 0 })),
  'roll over soon': of('current', (at, generation) => ({ type: 'roll-over', at, generation, after: 2 })),
  wake: whole('wake'),
  overflow: whole('overflow'),
  broken: whole('broken'),
  intent: whole('intent'),
  close: whole('close'),
  abort: whole('abort'),
} satisfies Record<string, Move>
export type MoveName = keyof typeof moves

/** Time passes. */
const fair = {
  timer: (world) => {
    const next = nextTimer(world)
    if (!next || next[1] > world.now) return undefined
    const [timer, due] = next as [LinkTimer, number]
    return { type: 'timer', at: world.now, timer, due, jitter: 1 }
  },
  wait: (world) => (isDue(world) ? undefined : 'wait'),
} satisfies Record<string, Move>

/**
 * A link machine to which these moves happen in any order. A link that is asked to close must be closed, and one that has
 * lost its connection, or never had one, must be ready or closed, whatever its peer does or fails to do.
 */
export function linkModel(
  settings: LinkSettings,
  alphabet: readonly MoveName[],
): Model<LinkWorld, Happening> {
  const chosen = alphabet.map((name) => [name, moves[name]] as const)
  const start = new LinkWorld(settings)
  start.handle({ type: 'start', at: 0 })
  const keyOf = stateKeys()
  // Longer ago than any delay in the settings.
  const oldest = -3
  return {
    start,
    fork: (world) => world.fork(),
    handle: (world, event) => (event === 'wait' ? void (world.now += 1) : world.handle(event)),
    moves: { ...Object.fromEntries(chosen), ...fair },
    fair: Object.keys(fair),
    mustEnd: ({ machine: { state } }) =>
      !state.closed &&
      (state.closing ? state.closing.asked : !state.wasReady || (state.disconnected && !state.current)),
    check: checkStale,
    key: (world) => {
      const { machine, now, sockets } = world
      const { closing, retiring, ...state } = machine.state
      const ago = (time: number | undefined): number | undefined =>
        time === undefined ? undefined : Math.max(oldest, time - now)
      const number = (generation: number | undefined): number | undefined =>
        generation === undefined ? undefined : state.generation - generation
      const connection = (one: ConnectionState | undefined): KeyPart[] => [
        number(one?.generation),
        one?.stage,
        ago(one?.since),
        one?.answered,
        one?.rollOverAt === undefined ? undefined : one.rollOverAt - now,
      ]
      if (state.closed) return keyOf(['closed'])
      return keyOf([
        ...connection(state.current),
        ...connection(state.next),
        number(retiring?.generation),
        retiring?.thenDial,
        state.wasReady,
        state.rollingOver,
        state.rolledOverAt === undefined ? undefined : state.rolledOverAt - now,
        state.earlyRollovers,
        state.idle,
        state.disconnected,
        state.failures,
        state.retries,
        state.idleEnds,
        state.last?.class,
        closing && (closing.generation === 0 ? 'none' : number(closing.generation)),
        closing?.asked,
        closing?.awaiting,
        closing?.acknowledged,
        number(world.current),
        ...Object.keys(state.timers).map((timer) => left(world, timer)),
        [...sockets].map((generation) => state.generation - generation).join(' '),
      ])
    },
  }
}

/** Events of a connection that the link does not know have no effect. */
function checkStale(world: LinkWorld): void {
  const { machine, now: at } = world.fork()
  const generation = -1
  const commands = [
    ...machine.handle({ type: 'opened', at, generation }),
    ...machine.handle({ type: 'ready', at, generation }),
    ...machine.handle({ type: 'acknowledged', at, generation }),
    ...machine.handle({
      type: 'ended',
      at,
      generation,
      end: { class: 'fatal' },
      socketOpen: false,
      resumable: false,
      jitter: 1,
    }),
  ]
  if (commands.length > 0) throw new Error('an event of an unknown connection has an effect')
}
