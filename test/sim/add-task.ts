import type { TaskContext } from '../../src/scope/index.ts'
import type { World } from '../../src/testing/index.ts'
import { ask, mustRefuse, refusedWith } from './ask.ts'
import { WorldError, cancelErrorOfLibrary, failAsCallback, isEven, nextName, someTime } from './draw.ts'
import type { ScopeFacts, TaskFacts } from './facts.ts'

/** Spawns a task of a random character. */
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
  // The result of every other task is observed, so that failures are handled in both ways.
  if (random.chance(0.5)) facts.handle.result.catch(() => {})
}

/** Work of a random character. It notes in `facts` what really happened. */
function taskWork(world: World, owner: ScopeFacts, facts: TaskFacts): (context: TaskContext) => unknown {
  const { random, clock } = world
  const character = random.weighted({
    polite: 6, // waits, and unwinds as soon as it is cancelled
    slowFinally: 3, // takes its time to unwind
    quick: 2, // ends by itself
    deaf: 2, // ends by itself, and ignores a cancel
    stuck: 1, // never ends
    throwsOnCancel: 1, // answers a cancel with an error of its own, or that of a library
    failing: 1, // fails by itself
    spawner: 1, // spawns more work, also while it unwinds
    opener: 1, // opens something while it unwinds
    closer: 1, // closes its own scope through its context
    outsider: 1, // closes its own scope from within, and waits for the report
    synchronous: 1,
    badListener: 1, // its cancel listeners fail
  })
  const time = someTime(world)
  const end = (how: TaskFacts['how']): void => {
    facts.how = how
    facts.endedAt = clock.now()
  }
  const noteCancel = (context: TaskContext): void => {
    context.onCancel((reason) => {
      facts.cancelSeenAt = clock.now()
      facts.reason = reason
    })
  }
  world.tell(`task ${facts.name} in ${owner.name} is ${character} (${time} ms)`)
  if (character === 'synchronous') {
    return (context) => {
      noteCancel(context)
      end('returned')
      return isEven(facts.name) ? settlesTwice('at once') : 'at once'
    }
  }
  return async (context) => {
    noteCancel(context)
    const never = new Promise<never>(() => {})
    let answer: Error | undefined
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
          if (!isEven(facts.name)) throw new WorldError('my own trouble')
          answer = cancelErrorOfLibrary(time > 100 ? facts.reason : undefined)
          throw answer
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
            await openTooLate(world, owner)
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
          context.onCancel(() => failAsCallback(facts.name, 'cancel listener'))
          context.signal.addEventListener('abort', () => failAsCallback(facts.name, 'signal listener'))
          return await context.until(never)
      }
    } catch (error) {
      const { reason } = facts
      const answers = error === answer || error === reason || (error as Error).cause === reason
      end(reason && answers ? 'cancelled' : 'threw')
      throw error
    } finally {
      if (facts.how === undefined) end('returned')
    }
  }
}

/** A thenable that breaks the rules of promises: it settles twice and then throws. */
function settlesTwice(value: string): PromiseLike<string> {
  const then = (resolve: (value: string) => void, reject: (error: unknown) => void): never => {
    resolve(value)
    reject(new WorldError('settled again'))
    throw new WorldError('and thrown')
  }
  return new Proxy({}, { get: (_, key) => (key === 'then' ? then : undefined) }) as PromiseLike<string>
}

/** Spawns now, and again from inside the moment of being cancelled: then it must be refused. */
async function respawn(world: World, owner: ScopeFacts, context: TaskContext): Promise<void> {
  context.onCancel(() => {
    mustRefuse(world, owner, 'spawn', () => owner.scope.spawn('too late', () => {}))
  })
  await Promise.resolve()
  if (owner.scope.state === 'live') addTask(world, owner)
}

/** Spawns into a relative that closing has not reached yet: it still accepts, and must cancel what it accepted. */
export function spawnLastMinute(world: World, owner: ScopeFacts): void {
  const relatives = [...owner.children, ...(owner.parent?.children ?? [])]
  const open = relatives.find(({ scope }) => scope.state === 'live')
  if (open) addTask(world, open)
}

async function openTooLate(world: World, owner: ScopeFacts): Promise<void> {
  if (owner.scope.state === 'live') return
  let opened = false
  try {
    await owner.scope.open('too late', () => {
      opened = true
      return { close() {}, abort() {} }
    })
    world.violate('SC7', `${owner.name} opened a resource while closing`)
  } catch (error) {
    refusedWith(world, error)
  }
  if (opened) world.violate('SC7', `${owner.name} called an opener while closing`)
}
