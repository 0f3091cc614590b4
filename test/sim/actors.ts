import type {
  CancelledError,
  Resource,
  Scope,
  ScopeReport,
  TaskContext,
  TaskHandle,
} from '../../src/index.ts'
import type { World } from '../../src/testing/index.ts'

/** What the world knows about one scope, without asking it. */
export interface ScopeFacts {
  readonly scope: Scope<string>
  readonly name: string
  readonly parent: ScopeFacts | undefined
  readonly phases: readonly string[]
  readonly closeTimeout: number
  readonly reserve: number
  readonly releaseTimeout: number
  readonly children: ScopeFacts[]
  readonly tasks: TaskFacts[]
  readonly resources: ResourceFacts[]
  readonly deferred: DeferredFacts[]
  readonly openings: OpeningFacts[]
  readonly reports: (ScopeReport | 'rejected')[]
  /** Each ask, with the deadline that it allows. */
  readonly asks: { readonly at: number; readonly deadline: number }[]
  aborted: boolean
  closedAt: number | undefined
  timersFiredAfterClosing: number
}

export interface TaskFacts {
  readonly name: string
  readonly phase: string
  readonly shield: number
  handle: TaskHandle<unknown> | undefined
  cancelSeenAt: number | undefined
  reason: CancelledError | undefined
  endedAt: number | undefined
  /** What the world made it do. */
  how: 'returned' | 'cancelled' | 'threw' | undefined
  /** When it asked for the close of its own scope. */
  askedAt: number | undefined
}

export interface ResourceFacts {
  readonly name: string
  readonly phase: string
  readonly cap: number | undefined
  toldAt: number | undefined
  hasHook: boolean
  closeCalls: number
  closeAt: number | undefined
  closedAt: number | undefined
  failedAt: number | undefined
  aborts: number
  abortAt: number | undefined
  forgotten: boolean
}

export interface DeferredFacts {
  readonly name: string
  readonly phase: string
  calls: number
  beganAt: number | undefined
  endedAt: number | undefined
  failed: boolean
  calledOff: boolean
}

export interface OpeningFacts {
  readonly name: string
  /** What the caller of open() got. */
  outcome: 'ready' | 'closed' | 'failed' | undefined
  outcomeAt: number | undefined
  resource: ResourceFacts
  /** When the opener brought the resource. */
  readyAt: number | undefined
}

class WorldError extends Error {
  override readonly name = 'WorldError'
}

/** Times worth trying: none, short, about a cap, about a deadline, far beyond. */
export function someTime(world: World): number {
  return world.random.pick([0, 0, 1, 5, 20, 100, 250, 900, 1_000, 2_000, 4_900, 6_000, 20_000])
}

/** Work of a random character. It tells the facts what really happened. */
export function taskWork(
  world: World,
  owner: ScopeFacts,
  facts: TaskFacts,
): (context: TaskContext) => unknown {
  const { random, clock } = world
  const character = random.weighted({
    polite: 6, // waits, and unwinds as soon as it is asked to
    slowFinally: 3, // takes its time to unwind
    quick: 2, // ends by itself
    deaf: 2, // ends by itself, whatever it is asked
    stuck: 1, // never ends
    throwsOnCancel: 1, // answers a cancel with an error of its own
    failing: 1, // fails by itself
    spawner: 1, // spawns more work, also while it unwinds
    opener: 1, // opens something while it unwinds
    closer: 1, // closes its own scope through its context
    outsider: 1, // closes its own scope from within, and waits for it
    synchronous: 1,
    badListener: 1, // its cancel listener throws
  })
  const time = someTime(world)
  const end = (how: TaskFacts['how']): void => {
    facts.how = how
    facts.endedAt = clock.now()
  }
  world.tell(`task ${facts.name} in ${owner.name} is ${character} (${time} ms)`)
  if (character === 'synchronous') {
    return () => {
      end('returned')
      return 'at once'
    }
  }
  return async (context) => {
    context.onCancel((reason) => {
      facts.cancelSeenAt = clock.now()
      facts.reason = reason
    })
    const never = new Promise<never>(() => {})
    try {
      switch (character) {
        case 'polite':
          return await context.until(never)
        case 'slowFinally':
          try {
            return await context.until(never)
          } finally {
            await clock.elapse(time)
          }
        case 'quick':
          return await context.sleep(time)
        case 'deaf':
          return await clock.elapse(time)
        case 'stuck':
          return await never
        case 'throwsOnCancel':
          await context.until(never).catch(() => {})
          throw new WorldError('my own trouble')
        case 'failing':
          await clock.elapse(time)
          throw new WorldError('it did not work')
        case 'spawner':
          await respawn(world, owner, context)
          return await context.until(never)
        case 'opener':
          try {
            return await context.until(never)
          } finally {
            await lateOpen(world, owner)
          }
        case 'closer':
          await clock.elapse(time)
          if (context.cancelled) context.signal.throwIfAborted()
          facts.askedAt = clock.now()
          await ask(world, owner, () => context.close({ reason: `${facts.name} asked` }))
          return undefined
        case 'outsider':
          await clock.elapse(time)
          await ask(world, owner, () => owner.scope.close({ reason: `${facts.name} asked from outside` }))
          return undefined
        case 'badListener':
          context.onCancel(() => {
            throw new WorldError('listener')
          })
          return await context.until(never)
      }
    } catch (error) {
      const { reason } = facts
      end(reason && (error === reason || (error as Error).cause === reason) ? 'cancelled' : 'threw')
      throw error
    } finally {
      if (facts.how === undefined) end('returned')
    }
  }
}

/** Spawns now, and again from inside the moment of being cancelled: then it must be refused. */
async function respawn(world: World, owner: ScopeFacts, context: TaskContext): Promise<void> {
  context.onCancel(() => {
    mustRefuse(world, owner, 'spawn', () => owner.scope.spawn('too late', () => {}))
  })
  await Promise.resolve()
  if (owner.scope.state === 'live') addTask(world, owner)
}

/** Spawns into a relative that has not been told yet: it still accepts, and must cancel what it accepted. */
function lastMinute(world: World, owner: ScopeFacts): void {
  const relatives = [...owner.children, ...(owner.parent?.children ?? [])]
  const open = relatives.find(({ scope }) => scope.state === 'live')
  if (open) addTask(world, open)
}

async function lateOpen(world: World, owner: ScopeFacts): Promise<void> {
  if (owner.scope.state === 'live') return
  let opened = false
  try {
    await owner.scope.open('too late', () => {
      opened = true
      return { close() {}, abort() {} }
    })
    world.violate('SC7', `${owner.name} opened a resource while closing`)
  } catch (error) {
    if ((error as { code?: string }).code !== 'SCOPE_CLOSED')
      world.violate('SC7', `refused with ${String(error)}`)
  }
  if (opened) world.violate('SC7', `${owner.name} called an opener while closing`)
}

export function mustRefuse(world: World, owner: ScopeFacts, what: string, attempt: () => unknown): void {
  try {
    attempt()
    world.violate('SC7', `${owner.name} accepted: ${what}`)
  } catch (error) {
    if ((error as { code?: string }).code !== 'SCOPE_CLOSED')
      world.violate('SC7', `refused with ${String(error)}`)
  }
}

let serial = 0
export function restartNames(): void {
  serial = 0
}
function nextName(kind: string): string {
  return `${kind}${++serial}`
}

export function addTask(world: World, owner: ScopeFacts): void {
  const { random } = world
  const facts: TaskFacts = {
    name: nextName('t'),
    phase: random.pick(owner.phases),
    shield: random.chance(0.2) ? someTime(world) : 0,
    handle: undefined,
    cancelSeenAt: undefined,
    reason: undefined,
    endedAt: undefined,
    how: undefined,
    askedAt: undefined,
  }
  owner.tasks.push(facts)
  const { phase, shield } = facts
  facts.handle = owner.scope.spawn(facts.name, taskWork(world, owner, facts), { phase, shield })
  // Somebody looks at the result of every other task; nobody at the rest.
  if (random.chance(0.5)) facts.handle.result.catch(() => {})
}

/** A resource of a random character: half of them are simulated sockets. */
function makeResource(world: World, owner: ScopeFacts, facts: ResourceFacts): Resource {
  const { clock, random } = world
  const character = random.weighted({
    prompt: 4,
    sync: 2,
    slow: 3,
    hangs: 2,
    throws: 1,
    rejects: 1,
    socket: 4,
  })
  const time = someTime(world)
  const abortThrows = random.chance(0.1)
  const hook = random.weighted({ none: 3, good: 3, throws: 1, spawns: 2 })
  facts.hasHook = hook !== 'none'
  world.tell(`resource ${facts.name} is ${character} (${time} ms)${abortThrows ? ', its abort throws' : ''}`)
  const socket = character === 'socket' ? dial(world, facts.name) : undefined
  const close = async (): Promise<void> => {
    if (character === 'slow') await clock.elapse(time)
    if (character === 'hangs') await new Promise(() => {})
    if (character === 'rejects') {
      await clock.elapse(time)
      facts.failedAt = clock.now()
      throw new WorldError('close failed')
    }
    await socket?.close()
    facts.closedAt = clock.now()
  }
  return {
    ...(hook === 'none'
      ? {}
      : {
          closing() {
            facts.toldAt ??= clock.now()
            if (hook === 'throws') throw new WorldError('hook')
            if (hook === 'spawns') lastMinute(world, owner)
          },
        }),
    close() {
      facts.closeCalls++
      facts.closeAt ??= clock.now()
      if (character === 'throws') {
        facts.failedAt = clock.now()
        throw new WorldError('close threw')
      }
      if (character === 'sync') {
        facts.closedAt = clock.now()
        return undefined
      }
      return close()
    },
    abort() {
      facts.aborts++
      facts.abortAt ??= clock.now()
      socket?.abort()
      if (abortThrows) throw new WorldError('abort threw')
    },
  }
}

/** A simulated socket with random manners, as a resource would hold it. */
function dial(world: World, name: string): { close: () => Promise<void>; abort: () => void } {
  const { network, random } = world
  network.serve = () => ({
    connect: random.pick([0, 1, 300, 'never']),
    ...(random.chance(0.2) ? { refuse: random.pick([0, 401, 503]) } : {}),
    ...(random.chance(0.2) ? { dropAfter: someTime(world) } : {}),
    ...(random.chance(0.2) ? { halfOpenAfter: someTime(world) } : {}),
    closeReply: random.pick([0, 1, 700, 'never']),
  })
  let ended: () => void = () => {}
  const over = new Promise<void>((resolve) => (ended = resolve))
  const socket = network.dial({ name, url: 'ws://peer' }, { opened() {}, message() {}, ended: () => ended() })
  return {
    close: () => {
      socket.close()
      return over
    },
    abort: () => socket.abort(),
  }
}

export function addResource(world: World, owner: ScopeFacts): void {
  const { random, clock } = world
  const facts: ResourceFacts = {
    name: nextName('r'),
    phase: random.pick(owner.phases),
    cap: random.chance(0.3) ? someTime(world) : undefined,
    toldAt: undefined,
    hasHook: false,
    closeCalls: 0,
    closeAt: undefined,
    closedAt: undefined,
    failedAt: undefined,
    aborts: 0,
    abortAt: undefined,
    forgotten: false,
  }
  const options = { phase: facts.phase, ...(facts.cap === undefined ? {} : { cap: facts.cap }) }
  if (random.chance(0.5)) {
    owner.resources.push(facts)
    owner.scope.own(facts.name, makeResource(world, owner, facts), options)
    return
  }
  const opening: OpeningFacts = {
    name: facts.name,
    outcome: undefined,
    outcomeAt: undefined,
    resource: facts,
    readyAt: undefined,
  }
  owner.openings.push(opening)
  const character = random.weighted({ quick: 3, slow: 3, hangs: 1, fails: 1, polite: 2 })
  const time = someTime(world)
  world.tell(`opening ${facts.name} in ${owner.name} is ${character} (${time} ms)`)
  const done = (outcome: OpeningFacts['outcome']): void => {
    opening.outcome = outcome
    opening.outcomeAt = clock.now()
  }
  owner.scope
    .open(
      facts.name,
      async (signal) => {
        if (character === 'slow') await clock.elapse(time)
        if (character === 'hangs') await new Promise(() => {})
        if (character === 'fails') throw new WorldError('cannot open')
        if (character === 'polite') await abortable(world, time, signal)
        opening.readyAt = clock.now()
        return makeResource(world, owner, facts)
      },
      options,
    )
    .then(
      () => {
        owner.resources.push(facts)
        done('ready')
      },
      (error: unknown) => done((error as { code?: string }).code === 'SCOPE_CLOSED' ? 'closed' : 'failed'),
    )
}

async function abortable(world: World, ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    world.clock.elapse(ms).then(resolve, reject)
  })
}

export function addDeferred(world: World, owner: ScopeFacts): void {
  const { random, clock } = world
  const facts: DeferredFacts = {
    name: nextName('d'),
    phase: random.pick(owner.phases),
    calls: 0,
    beganAt: undefined,
    endedAt: undefined,
    failed: false,
    calledOff: false,
  }
  const character = random.weighted({ sync: 2, slow: 4, hangs: 1, throws: 1, rejects: 1 })
  const time = someTime(world)
  world.tell(`deferred ${facts.name} in ${owner.name} is ${character} (${time} ms)`)
  owner.deferred.push(facts)
  const end = (failed: boolean): void => {
    facts.endedAt = clock.now()
    facts.failed = failed
  }
  const callOff = owner.scope.defer(
    facts.name,
    () => {
      facts.calls++
      facts.beganAt ??= clock.now()
      if (character === 'throws') {
        end(true)
        throw new WorldError('deferred threw')
      }
      if (character === 'sync') return end(false)
      return (async () => {
        if (character === 'hangs') await new Promise(() => {})
        await clock.elapse(time)
        end(character === 'rejects')
        if (character === 'rejects') throw new WorldError('deferred rejected')
      })()
    },
    { phase: facts.phase, ...(random.chance(0.3) ? { cap: someTime(world) } : {}) },
  )
  if (random.chance(0.1)) {
    clock.happen(someTime(world), `${facts.name} is called off`, () => {
      if (owner.scope.state !== 'live') return
      facts.calledOff = true
      callOff()
    })
  }
}

export function addTimer(world: World, owner: ScopeFacts): void {
  const ms = Math.max(1, someTime(world))
  const fired = (): void => {
    if (owner.scope.state !== 'live') owner.timersFiredAfterClosing++
    if (world.random.chance(0.1)) throw new WorldError('timer threw')
  }
  if (world.random.chance(0.5)) owner.scope.after(ms, nextName('after'), fired)
  else owner.scope.every(Math.max(100, ms), nextName('every'), fired)
}

/** Asks for a close, notes the ask, and keeps what comes of it. */
export async function ask(
  world: World,
  facts: ScopeFacts,
  close: () => Promise<ScopeReport>,
  closeTimeout?: number,
): Promise<void> {
  const at = world.clock.now()
  // The first ask fixes the deadline; later ones change it only if they name a time.
  const first = facts.scope.state === 'live'
  facts.asks.push({ at, deadline: at + (closeTimeout ?? (first ? facts.closeTimeout : Infinity)) })
  try {
    facts.reports.push(await close())
  } catch (error) {
    world.violate('SC2', `close() of ${facts.name} rejected: ${String(error)}`)
    facts.reports.push('rejected')
  }
}
