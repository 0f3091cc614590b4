import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { tool, type Speech, type ToolContext } from '../../src/session/index.ts'
import { callTool, inVirtualTime, type World } from '../../src/testing/index.ts'
import { aCall } from './fixture.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Held by somebody else, as a promise inside a library would be: the stuck work cannot be collected. */
const stuck: unknown[] = []

function never(): Promise<never> {
  const promise = new Promise<never>((...settle) => void stuck.push(settle))
  stuck.push(promise)
  return promise
}

/** Ignores its signal, never ends, and holds all it was ever given. */
async function hold(input: unknown, context: ToolContext): Promise<never> {
  const { signal, say, progress, run, close, waitForPlayout } = context
  const speech: Speech = say('One moment.')
  stuck.push(input, context, signal, say, progress, run, close, waitForPlayout, speech, waitForPlayout())
  signal.addEventListener('abort', () => stuck.push(signal.reason))
  return never()
}

async function closeWithStuckTools(world: World): Promise<Record<string, WeakRef<object>>> {
  const tools = {
    kept: tool({ description: 'Kept', timeout: 60_000, run: hold }),
    slow: tool({ description: 'Slow', timeout: 500, run: hold }),
    cut: tool({ description: 'Cut', onInterrupt: 'cancel', timeout: 60_000, run: hold }),
    shielded: tool({ description: 'Shielded', finishWithin: 1_000, timeout: 60_000, run: hold }),
    asked: tool({
      description: 'Asked',
      input: { '~standard': { version: 1, vendor: 'test', validate: never } },
      parameters: {},
      timeout: 60_000,
      run: hold,
    }),
  }
  const names = Object.keys(tools)
  const { session, clock } = aCall(world, {
    answers: [['Let me look. ', ...names.map((name) => callTool(name))]],
    agent: { tools, guardrails: { input: { stuck: never } } },
  })
  await session.start()
  stuck.push(session.reply())
  await clock.elapse(1_000)
  session.interrupt()
  await clock.elapse(1_000)
  const report = await session.close()
  expect(report.scope.clean).toBe(false)
  return { session: new WeakRef(session), history: new WeakRef(session.history), report: new WeakRef(report) }
}

it('[TL1] [SC9] tools that never end keep nothing of a closed session alive', () =>
  inVirtualTime(async (world) => {
    const references = await closeWithStuckTools(world)
    for (let round = 0; round < 5; round++) {
      // The virtual clock keeps even cleared timers until their time has come.
      await world.clock.elapse(20_000)
      collect()
    }
    const alive = Object.keys(references).filter((name) => references[name]?.deref() !== undefined)
    expect(alive).toEqual([])
    expect(stuck.length).toBeGreaterThan(10)
  }))
