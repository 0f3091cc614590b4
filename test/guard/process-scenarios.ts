import { spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { WebSocket } from 'ws'
import { formatGuard, guard, outside, type Guard } from '../../src/guard/index.ts'
import { delay, never } from './clients.ts'
import { BlockedTime } from '../blocked-time.ts'

/**
 * Runs one scenario in a process of its own: `node process-scenarios.ts SCENARIO PORT`. `processes.test.ts` reads what it
 * prints and how the process exits.
 */
const [scenario = '', port = '0', ...folders] = process.argv.slice(2)

/** A closed session. Code can still run in its context. */
async function closed(onLate?: (error: unknown, name: string) => void): Promise<Guard> {
  await import('../../src/guard/install.ts')
  const call = guard({
    name: 'call',
    closeTimeout: 200,
    ...(onLate ? { onLate: ({ error, name }) => onLate(error, name) } : {}),
  })
  await call.close()
  return call
}

const fail = (message: string) => (): never => {
  throw new Error(message)
}

/** Rejected promises without a handler. */
const rejected: Promise<unknown>[] = []

/** Causes an uncaught error in every possible way. */
function throwAll(): void {
  setTimeout(fail('timeout'), 5)
  setImmediate(fail('immediate'))
  process.nextTick(fail('tick'))
  queueMicrotask(fail('microtask'))
  rejected.push(Promise.reject(new Error('rejection')), delay(5).then(fail('then')))
  setTimeout(() => new EventEmitter().emit('error', new Error('event')), 5)
  // Refused, because the session is closed. The socket has no error listener.
  connect(Number(port), '127.0.0.1')
  const controller = new AbortController()
  controller.signal.addEventListener('abort', fail('signal'))
  setTimeout(() => controller.abort(), 5)
}

const scenarios: Readonly<Record<string, () => Promise<unknown>>> = {
  async 'late errors'() {
    const late: unknown[] = []
    const call = await closed((error, name) => late.push(`${name}: ${(error as Error).message}`))
    call.run(throwAll)
    await delay(50)
    return late
  },

  async 'late errors of a closing session'() {
    await import('../../src/guard/install.ts')
    const call = guard({
      closeTimeout: 300,
      onLate: () => {},
      close: () => {
        setTimeout(fail('late'), 5)
        return never()
      },
    })
    const report = await call.close()
    return [report.late, report.clean, formatGuard(report).split('\n').at(-1)]
  },

  async 'late errors without a listener'() {
    const call = await closed()
    for (let i = 0; i < 5; i++) call.run(() => setTimeout(fail(`late ${i}`), 1))
    await delay(20)
    return 'alive'
  },

  async 'an error of a live session'() {
    await import('../../src/guard/install.ts')
    guard({ name: 'other', closeTimeout: 200 }).abort()
    guard({ name: 'call' }).run(() => setTimeout(fail('of a live session'), 1))
    await delay(1_000)
    return 'alive'
  },

  async 'an error of other code'() {
    const call = await closed()
    call.run(() => setTimeout(() => {}, 100))
    setTimeout(fail('of other code'), 1)
    await delay(1_000)
    return 'alive'
  },

  async 'a rejection of other code'() {
    await closed()
    rejected.push(Promise.reject(new Error('of other code')))
    await delay(1_000)
    return 'alive'
  },

  async 'an error without any guard'() {
    setTimeout(fail('of other code'), 1)
    await delay(1_000)
    return 'alive'
  },

  async "the user's handlers"() {
    const received: string[] = []
    process.on('uncaughtException', (error) => received.push(`exception ${error.message}`))
    process.on('unhandledRejection', (error) => received.push(`rejection ${(error as Error).message}`))
    const late: string[] = []
    const call = await closed((error) => late.push((error as Error).message))
    call.run(() => setTimeout(fail('late'), 1))
    call.run(() => rejected.push(Promise.reject(new Error('late rejection'))))
    setTimeout(fail('theirs'), 1)
    rejected.push(Promise.reject(new Error('their rejection')))
    await delay(20)
    return { received, late }
  },

  async 'nothing left behind'() {
    const before = [process.listenerCount('uncaughtException'), Object.hasOwn(process, 'emit')]
    await closed()
    const hooked = Object.hasOwn(process, 'emit')
    for (let round = 0; round < 100 && Object.hasOwn(process, 'emit'); round++) {
      await delay(5)
      globalThis.gc?.()
    }
    return {
      before,
      hooked,
      after: [process.listenerCount('uncaughtException'), Object.hasOwn(process, 'emit')],
    }
  },

  async 'installed and not used'() {
    const before = [globalThis.fetch, Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))]
    await import('../../src/guard/install.ts')
    await import('../../src/guard/install.ts')
    const after = [globalThis.fetch, Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))]
    return {
      same: before.every((each, index) => each === after[index]),
      hooked: Object.hasOwn(process, 'emit'),
      listeners: process.eventNames().filter((name) => /uncaught|unhandled|worker/.test(String(name))),
    }
  },

  async 'not installed'() {
    try {
      guard()
    } catch (error) {
      return (error as { code: string }).code
    }
    return 'made'
  },

  /** Has everything that can keep a process alive, and tries to reconnect. */
  async 'a leftover session'() {
    await import('../../src/guard/install.ts')
    const call = guard({ closeTimeout: 1_500, close: never, onLate: () => {} })
    const dial = (): void => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}`)
      socket.on('error', () => {})
      // Retries immediately and forever. Refusals without a delay would starve the event loop.
      socket.on('close', dial)
    }
    await call.run(async () => {
      dial()
      const opened = new WebSocket(`ws://127.0.0.1:${port}`)
      await new Promise((resolve) => opened.once('open', resolve))
      setInterval(() => {}, 10)
      setTimeout(() => {}, 60_000)
      sleep(60_000).catch(() => {})
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'])
      fetch(`http://127.0.0.1:${port}/slow`).catch(() => {})
    })
    await delay(50)
    using still = new BlockedTime()
    const report = await call.close()
    return [report.took - still.total, report.severed.map(({ kind }) => kind).toSorted()]
  },

  /** Two copies of the package in one process, used independently. */
  async 'two copies'() {
    const [one, two] = await Promise.all(
      folders.map(async (folder) => {
        await import(pathToFileURL(`${folder}/guard/install.ts`).href)
        return (await import(pathToFileURL(`${folder}/guard/index.ts`).href)) as { guard: typeof guard }
      }),
    )
    const runtime = Reflect.get(globalThis, Symbol.for('endwell/guard@1')) as object
    const a = one!.guard({ name: 'a', closeTimeout: 300 })
    const b = two!.guard({ name: 'b', closeTimeout: 300, onLate: () => {} })
    const dial = (): Promise<unknown> =>
      new Promise((resolve) => {
        const socket = connect(Number(port), '127.0.0.1')
        socket.on('error', resolve).on('connect', resolve)
      })
    await a.run(dial)
    await b.run(dial)
    await a.run(() => b.run(dial))
    const nested = a.run(() => two!.guard({ name: 'nested', closeTimeout: 300 }))
    await nested.close()
    const [ra, rb] = [await a.close(), await b.close()]
    const refused = (await b.run(dial)) as { code: string }
    b.run(() => setTimeout(fail('late'), 1))
    await delay(20)
    return {
      same: one!.guard !== (two!.guard as unknown),
      runtime: typeof runtime,
      severed: [ra.severed.length, rb.severed.length],
      unowned: [ra.unowned.length, rb.unowned.length],
      refused: [refused.code, a.refused, b.refused],
    }
  },
}

const result = await scenarios[scenario]!()
outside(() => console.log(JSON.stringify(result)))
