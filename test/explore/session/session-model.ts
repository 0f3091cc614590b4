import type { CloseAsk } from '../../../src/session/closing/asks.ts'
import type { EndEvent, SessionEvent, SessionTimer } from '../../../src/session/closing/session-events.ts'
import type { SessionMachineSettings } from '../../../src/session/closing/session-machine.ts'
import { stateKeys, type Model } from '../../../src/testing/index.ts'
import { isDue, left, nextTimer } from '../timed.ts'
import { SessionWorld } from './session-world.ts'

type Happening = SessionEvent | 'wait' | 'progress'
type Move = (world: SessionWorld) => Happening | undefined

/** Graceful ends have numbers from 1 to 3, in turn: what belongs to an earlier one must have no effect. */
const end =
  (given: Omit<EndEvent, 'type' | 'id' | 'movedAt' | 'busyUntil'>): Move =>
  ({ now, movedAt, lastEnding, machine }) => {
    if (machine.isClosing || machine.state.drains.length > 0) return undefined
    return { type: 'end', at: now, id: (lastEnding % 3) + 1, movedAt, busyUntil: 0, ...given }
  }
const hangUp =
  (given: {
    readonly say?: string
    readonly cancellable?: boolean
    readonly from?: CloseAsk['from']
  }): Move =>
  (world) => {
    const { from, ...rest } = given
    return world.machine.phase === 'live'
      ? end({ ask: { reason: 'agent-hung-up', from }, ...rest })(world)
      : undefined
  }
const said =
  (how: 'played' | 'interrupted' | 'failed', confirmed: boolean): Move =>
  ({ now, seen: { goodbye } }) =>
    goodbye === undefined ? undefined : { type: 'said', at: now, ending: goodbye, how, confirmed }
const close =
  (reason: CloseAsk['reason']): Move =>
  ({ now, machine }) =>
    machine.state.meanwhile.length > 0 ? undefined : { type: 'close', at: now, ask: { reason } }

export const moves = {
  open: ({ now, machine }) => (machine.phase === 'new' ? { type: 'opened', at: now } : undefined),
  'hang up': hangUp({ say: 'Bye.' }),
  'hang up, cancellable': hangUp({ say: 'Bye.', cancellable: true }),
  'hang up from a tool': hangUp({ from: {} as CloseAsk['from'] }),
  drain: end({ ask: { reason: 'host-draining' } }),
  'turn finished': ({ now, seen: { turn } }) =>
    turn === undefined ? undefined : { type: 'idle', at: now, ending: turn },
  'goodbye heard': said('played', true),
  'goodbye sent': said('played', false),
  'goodbye interrupted': said('interrupted', true),
  'goodbye failed': said('failed', false),
  progress: () => 'progress',
  close: close('requested'),
  'caller lost': close('caller-lost'),
  'user idle': ({ now }) => ({ type: 'user-idle', at: now }),
  'user active': ({ now }) => ({ type: 'user-active', at: now }),
  'model fails': ({ now, machine }) =>
    (machine.state.failures.get('llm') ?? 0) < 3
      ? { type: 'part-failed', at: now, part: 'llm', canSpeak: true }
      : undefined,
  'model works': ({ now }) => ({ type: 'part-worked', at: now, part: 'llm' }),
  'apology ends': ({ now, seen }) => (seen.apologising ? { type: 'apologised', at: now } : undefined),
  'most is spent': ({ now }) => ({ type: 'spent', at: now, share: 0.9 }),
  'all is spent': ({ now }) => ({ type: 'spent', at: now, share: 1 }),
} satisfies Record<string, Move>
export type MoveName = keyof typeof moves

/** What cannot fail to happen: time passes, and a close that has begun comes to its report. */
const fair = {
  begun: ({ now, machine, seen }) =>
    machine.phase === 'closing' && !seen.begun ? { type: 'begun', at: now } : undefined,
  closed: ({ now, machine, seen }) =>
    machine.phase === 'closing' && seen.begun ? { type: 'closed', at: now } : undefined,
  timer: (world) => {
    const next = nextTimer(world)
    if (!next || next[1] > world.now) return undefined
    const [timer, due] = next as [SessionTimer, number]
    return { type: 'timer', at: world.now, timer, due, movedAt: world.movedAt, busyUntil: 0 }
  },
  wait: (world) => (isDue(world) || world.machine.isClosing ? undefined : 'wait'),
} satisfies Record<string, Move>

/**
 * A session machine to which these moves happen in any order. Every graceful end and every close must come to its end
 * and so must a session with a `maxDuration`, or whose budget is spent.
 */
export function sessionModel(
  settings: SessionMachineSettings,
  alphabet: readonly MoveName[],
): Model<SessionWorld, Happening> {
  const chosen = alphabet.map((name) => [name, moves[name]] as const)
  const keyOf = stateKeys()
  const ends = settings.maxDuration === undefined ? ['ending', 'closing'] : ['live', 'ending', 'closing']
  return {
    start: new SessionWorld(settings),
    fork: (world) => world.fork(),
    handle: (world, event) => {
      if (event === 'wait') return void (world.now += 1)
      if (event === 'progress') return void (world.movedAt = world.now)
      if (event.type === 'end') world.lastEnding = event.id
      return world.handle(event)
    },
    moves: { ...Object.fromEntries(chosen), ...fair },
    fair: Object.keys(fair),
    mustEnd: ({ machine: { phase, state } }) =>
      ends.includes(phase) || (state.budgetSpent && phase === 'live'),
    check: (world) => checkStale(world),
    key: (world) => {
      const { seen, machine, now, movedAt, lastEnding } = world
      const { ending, drains, failures, meanwhile, ...state } = machine.state
      return keyOf([
        state.phase,
        ending && ending.id,
        ending && ending.ask.reason,
        ending && ending.ask.from !== undefined,
        ending && ending.say,
        ending && ending.cancellable,
        ending && ending.step,
        drains[0]?.id,
        drains[0]?.ask.reason,
        drains[0]?.ask.by,
        drains.length,
        machine.isClosing ? 0 : Math.max(-2, movedAt - now),
        state.maxDurationWarned,
        state.maxDurationReached,
        state.idleAt !== undefined && Math.max(0, state.idleAt - now),
        state.budgetWarned,
        state.budgetSpent,
        failures.get('llm'),
        state.apologising,
        state.begun,
        meanwhile.length,
        machine.isClosing ? 0 : lastEnding,
        left(world, 'stall'),
        left(world, 'limit'),
        left(world, 'max-duration-warning'),
        left(world, 'max-duration'),
        left(world, 'idle'),
        seen.turn,
        seen.goodbye,
        seen.apologising,
      ])
    },
  }
}

/** What belongs to no graceful end in progress has no effect. */
function checkStale(world: SessionWorld): void {
  const fork = world.fork()
  const commands = [
    ...fork.machine.handle({ type: 'said', at: world.now, ending: 9, how: 'interrupted' }),
    ...fork.machine.handle({ type: 'idle', at: world.now, ending: 9 }),
    ...fork.machine.handle({
      type: 'timer',
      at: world.now,
      timer: 'stall',
      due: -1,
      movedAt: 0,
      busyUntil: 0,
    }),
  ]
  if (commands.length > 0) throw new Error('an event of an earlier graceful end has an effect')
}
