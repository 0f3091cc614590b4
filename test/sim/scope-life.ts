import { Scope } from '../../src/index.ts'
import { liveScopes, type Late } from '../../src/scope/index.ts'
import type { World } from '../../src/testing/index.ts'
import { addDeferred } from './add-deferred.ts'
import { addResource } from './add-resource.ts'
import { addTask } from './add-task.ts'
import { addTimer } from './add-timer.ts'
import { ask, mustRefuseAll } from './ask.ts'
import { failAsCallback, restartNames, someTime } from './draw.ts'
import { everyScope, type Facts, type ScopeFacts } from './facts.ts'
import { checkEnd, checkFirstMoment, checkNothingLeft } from './invariants.ts'

/** A random tree of scopes, with random faults and random closers, run to its end and checked (SC1–SC20). */
export async function scopeLife(world: World): Promise<void> {
  const { clock, random } = world
  restartNames()
  const rootsBefore = liveScopes.size
  const late: Late[] = []
  const root = makeScope(world, undefined, late, 0)
  const facts: Facts = { root, late, changes: [], jumps: [] }
  root.scope.inspect((change) => {
    facts.changes.push(change)
    const outcome = change.outcome === undefined ? '' : ` (${change.outcome})`
    world.tell(`${change.kind} ${change.name}: ${change.type}${outcome}`)
    if (change.kind === 'scope' && change.type === 'closed') noteClosed(root, change.name, clock.now())
  })
  // Every fourth change is enough: errors are a large part of the cost of a life.
  root.scope.inspect(({ name, id }) => {
    if (id % 4 === 0) return failAsCallback(name, 'a watcher that fails must not disturb anything')
  })
  fill(world, root)

  const closers = Array.from({ length: random.int(1, 3) }, () => closer(world, facts))
  await Promise.all(closers)
  const closeTimeout = random.chance(0.3) ? someTime(world) : undefined
  await closeNow(world, root, closeTimeout)
  checkNothingLeft(world)
  await root.scope.released
  // By then, everything late has come.
  await clock.elapse(60_000)
  checkEnd(world, facts)
  if (liveScopes.size > rootsBefore) world.violate('SC15', 'the root scope is still registered as alive')
}

function makeScope(world: World, parent: ScopeFacts | undefined, late: Late[], depth: number): ScopeFacts {
  const { random } = world
  const phases = random.pick([['only'], ['first', 'last'], ['first', 'middle', 'last']])
  const closeTimeout = random.pick([0, 40, 300, 1_000, 5_000, 5_000])
  const reserve = random.pick([0, 10, 250])
  const releaseTimeout = random.pick([0, 100, 3_000])
  const taskCap = random.pick([0, 50, 1_000])
  const name = parent ? `${parent.name}.${parent.children.length + 1}` : 'root'
  const options = { phases, closeTimeout, reserve, releaseTimeout, taskCap }
  const onLate = (one: Late): void => {
    late.push(one)
    world.tell(`late: ${one.kind} ${one.name} ${one.outcome}`)
    // Draws for outcomes only: a draw for late problems, which were added later, would change recorded seeds.
    if (one.kind !== 'problem' && random.chance(0.1)) return failAsCallback(one.name, 'onLate fails')
  }
  const scope = parent
    ? parent.scope.child(name, { phase: random.pick(parent.phases), ...options })
    : new Scope<string>(name, { clock: world.clock, onLate, ...options })
  world.tell(`scope ${name}: ${JSON.stringify(options)}`)
  const facts: ScopeFacts = {
    scope,
    name,
    parent,
    phases,
    closeTimeout,
    reserve,
    releaseTimeout,
    children: [],
    tasks: [],
    resources: [],
    deferred: [],
    openings: [],
    reports: [],
    asks: [],
    aborted: false,
    closedAt: undefined,
    timersFiredAfterClosing: 0,
  }
  if (depth < 3) {
    for (let count = random.pick([0, 0, 1, 2]); count > 0; count--) {
      facts.children.push(makeScope(world, facts, late, depth + 1))
    }
  }
  return facts
}

/** Gives every scope random members, some of them later. */
function fill(world: World, facts: ScopeFacts): void {
  const { random, clock } = world
  const add = [addTask, addTask, addResource, addResource, addDeferred, addTimer]
  for (let count = random.int(0, 6); count > 0; count--) {
    const one = random.pick(add)
    if (random.chance(0.7)) {
      one(world, facts)
      continue
    }
    clock.happen(someTime(world), `something more for ${facts.name}`, () => {
      if (facts.scope.state === 'live') one(world, facts)
    })
  }
  for (const child of facts.children) fill(world, child)
}

/** Ends a random scope at a random time in a random way, or makes the clock jump as if the machine had slept. */
async function closer(world: World, facts: Facts): Promise<void> {
  const { random, clock } = world
  const target = random.pick(everyScope(facts.root))
  const way = random.weighted({ close: 6, hurry: 2, abort: 1, jump: 1, spawnAndClose: 1 })
  await clock.elapse(someTime(world), `closer comes to ${target.name}`)
  switch (way) {
    case 'close':
      return closeNow(world, target, undefined)
    case 'hurry':
      return closeNow(world, target, someTime(world))
    case 'jump': {
      const ms = someTime(world)
      clock.jump(ms)
      facts.jumps.push(clock.now())
      world.tell(`the clock jumps ahead by ${ms} ms`)
      return
    }
    case 'abort':
      return abortNow(world, target)
    case 'spawnAndClose':
      if (target.scope.state === 'live') addTask(world, target)
      return closeNow(world, target, undefined)
  }
}

async function abortNow(world: World, target: ScopeFacts): Promise<void> {
  world.tell(`abort of ${target.name}`)
  for (const one of everyScope(target)) one.aborted = true
  try {
    target.scope.abort('aborted by the world')
  } catch (error) {
    world.violate('SC2', `abort() threw ${String(error)}`)
  }
  if (target.scope.state !== 'closed')
    world.violate('SC2', `abort() left ${target.name} ${target.scope.state}`)
  return ask(world, target, () => target.scope.close())
}

/** Closes and, before anything else can happen, checks what must be true already (SC3, SC7). */
async function closeNow(world: World, target: ScopeFacts, closeTimeout: number | undefined): Promise<void> {
  const options = closeTimeout === undefined ? {} : { closeTimeout }
  world.tell(`close of ${target.name}${closeTimeout === undefined ? '' : ` within ${closeTimeout} ms`}`)
  const wasLive = everyScope(target).filter(({ scope }) => scope.state === 'live')
  const close = (): ReturnType<typeof target.scope.close> => {
    const report = target.scope.close({ reason: 'asked', ...options })
    for (const one of wasLive) {
      checkFirstMoment(world, one)
      mustRefuseAll(world, one)
    }
    return report
  }
  await ask(world, target, close, closeTimeout)
}

function noteClosed(root: ScopeFacts, name: string, at: number): void {
  const facts = everyScope(root).find((one) => one.name === name)
  if (facts) facts.closedAt = at
}
