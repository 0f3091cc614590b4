import type { Resource } from '../../src/scope/index.ts'
import type { Manners, World } from '../../src/testing/index.ts'
import { spawnLastMinute } from './add-task.ts'
import { WorldError, failAsCallback, nextName, someTime } from './draw.ts'
import type { OpeningFacts, ResourceFacts, ScopeFacts } from './facts.ts'

/** Owns a resource of a random character, or opens one. */
export function addResource(world: World, owner: ScopeFacts): void {
  const { random } = world
  const facts: ResourceFacts = {
    name: nextName('r'),
    phase: random.pick(owner.phases),
    cap: random.chance(0.3) ? someTime(world) : undefined,
    closingCalledAt: undefined,
    hasHook: false,
    closeCalls: 0,
    closeAt: undefined,
    closedAt: undefined,
    failedAt: undefined,
    aborts: 0,
    abortAt: undefined,
    forgotten: false,
  }
  if (random.chance(0.5)) {
    owner.resources.push(facts)
    owner.scope.own(facts.name, makeResource(world, owner, facts), optionsOf(facts))
  } else openResource(world, owner, facts)
}

function optionsOf({ phase, cap }: ResourceFacts): { phase: string; cap?: number } {
  return { phase, ...(cap === undefined ? {} : { cap }) }
}

function openResource(world: World, owner: ScopeFacts, facts: ResourceFacts): void {
  const { random, clock } = world
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
  const opener = async (signal: AbortSignal): Promise<Resource> => {
    if (character === 'slow') await clock.elapse(time)
    if (character === 'hangs') await new Promise(() => {})
    if (character === 'fails') throw new WorldError('cannot open')
    if (character === 'polite') await abortable(world, time, signal)
    opening.readyAt = clock.now()
    return makeResource(world, owner, facts)
  }
  owner.scope.open(facts.name, opener, optionsOf(facts)).then(
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

/** A resource of a random character. Many of them hold a simulated socket. */
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
  const abortFails = random.chance(0.1)
  const hook = random.weighted({ none: 3, good: 3, fails: 1, spawns: 2 })
  facts.hasHook = hook !== 'none'
  world.tell(`resource ${facts.name} is ${character} (${time} ms)${abortFails ? ', its abort fails' : ''}`)
  const socket = character === 'socket' ? dial(world, facts.name) : undefined
  const closeSlowly = async (): Promise<void> => {
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
  const closing = (): void => {
    facts.closingCalledAt ??= clock.now()
    if (hook === 'fails') return failAsCallback(facts.name, 'hook')
    if (hook === 'spawns') spawnLastMinute(world, owner)
  }
  const resource: Resource = {
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
      return closeSlowly()
    },
    abort() {
      facts.aborts++
      facts.abortAt ??= clock.now()
      socket?.abort()
      if (abortFails) return failAsCallback(facts.name, 'abort failed')
    },
  }
  if (hook !== 'none') resource.closing = closing
  return resource
}

/** A simulated socket with random behaviour, as a resource would hold it. */
function dial(world: World, name: string): { close: () => Promise<void>; abort: () => void } {
  const { network, random } = world
  network.serve = () => {
    const manners: Manners = { connect: random.pick([0, 1, 300, 'never']) }
    if (random.chance(0.2)) manners.refuse = random.pick([0, 401, 503])
    if (random.chance(0.2)) manners.dropAfter = someTime(world)
    if (random.chance(0.2)) manners.halfOpenAfter = someTime(world)
    manners.closeReply = random.pick([0, 1, 700, 'never'])
    return manners
  }
  let resolve: () => void = () => {}
  const ended = new Promise<void>((settle) => (resolve = settle))
  const events = { opened() {}, message() {}, ended: () => resolve() }
  const socket = network.dial({ name, url: 'ws://peer' }, events)
  return {
    close: () => {
      socket.close()
      return ended
    },
    abort: () => socket.abort(),
  }
}
