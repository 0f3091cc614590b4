import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { inVirtualTime } from '../../src/testing/index.ts'
import { Scope, type Clock, type Resource, type TaskContext } from '../../src/scope/index.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Held from outside, as by a library, so that the stuck work cannot be collected. */
const stuck: unknown[] = []

function never(): Promise<never> {
  const promise = new Promise<never>((...settle) => void stuck.push(settle))
  stuck.push(promise)
  return promise
}

async function tool(context: TaskContext): Promise<void> {
  stuck.push(context, context.signal)
  await never()
}

async function connect(signal: AbortSignal): Promise<Resource> {
  stuck.push(signal)
  return never()
}

async function closeWithStuckWork(clock: Clock): Promise<Record<string, WeakRef<object>>> {
  const session = { transcript: 'hello' }
  const scope = new Scope('call', {
    clock,
    closeTimeout: 100,
    releaseTimeout: 0,
    onProblem: () => void session.transcript,
  })
  // Closures that refer to the session, as the runtime's own code has them.
  const { result } = scope.spawn('tool', (context) => {
    session.transcript += '.'
    return tool(context)
  })
  scope.defer('flush', () => {
    session.transcript += '.'
    return never()
  })
  stuck.push(result)
  scope.open('link', connect).catch(() => {})
  // Every callback is async, and none of them ever settles.
  const hang = (): never => {
    session.transcript += '.'
    return never() as never
  }
  scope.own('feed', { close: never, abort: hang, closing: hang, inspect: hang })
  scope.inspect(hang)
  scope.after(0, 'once', hang)
  scope.every(1, 'beat', hang)
  scope.signal.addEventListener('abort', hang)
  scope.spawn('listener', ({ onCancel, signal, until }) => {
    onCancel(hang)
    signal.addEventListener('abort', hang)
    return until(never())
  })
  scope.inspect().tree.owned.at(0)
  await scope.spawn('nap', ({ sleep }) => sleep(5)).result
  const report = await scope.close()
  return { scope: new WeakRef(scope), session: new WeakRef(session), report: new WeakRef(report) }
}

it('[SC9] work and callbacks that never settle keep nothing of their closed scope alive', () =>
  inVirtualTime(async ({ clock }) => {
    const references = await closeWithStuckWork(clock)
    for (let round = 0; round < 5; round++) {
      await clock.elapse(1)
      collect()
    }
    const alive = Object.keys(references).filter((name) => references[name]?.deref() !== undefined)
    expect(alive).toEqual([])
    expect(stuck.length).toBeGreaterThan(0)
  }))
