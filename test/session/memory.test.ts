import { pcm } from '../../src/audio/index.ts'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import type { Line, SpokenChunk } from '../../src/parts/index.ts'
import { Agent, Session, tool, type Speech, type ToolContext } from '../../src/session/index.ts'
import { ScriptedLlm, callTool, inVirtualTime, type World } from '../../src/testing/index.ts'
import { aCall } from './fixture.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void

/** Held from outside, as by a library with a pending promise, so that the stuck work cannot be collected. */
const stuck: unknown[] = []

function never(): Promise<never> {
  const promise = new Promise<never>((...settle) => void stuck.push(settle))
  stuck.push(promise)
  return promise
}

/** A tool that ignores its signal, never ends, and keeps references to everything it receives. */
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

it('[TL1] [SC9] tools that never end do not keep a closed session in memory', () =>
  inVirtualTime(async (world) => {
    const references = await closeWithStuckTools(world)
    for (let round = 0; round < 5; round++) {
      // The virtual clock holds cleared timers until they are due.
      await world.clock.elapse(20_000)
      collect()
    }
    const alive = Object.keys(references).filter((name) => references[name]?.deref() !== undefined)
    expect(alive).toEqual([])
    expect(stuck.length).toBeGreaterThan(10)
  }))

/** How many frames of a speech are still in memory after all of them were sent to the line. */
async function framesKept({ clock, random }: World, pauses: boolean): Promise<number> {
  const frames: WeakRef<object>[] = []
  const voice = {
    async *speak(text: AsyncIterable<string>): AsyncGenerator<SpokenChunk> {
      for await (const _ of text);
      for (let i = 0; i < 100; i++) {
        const frame = { samples: new Int16Array(320), sampleRate: 16_000 as const }
        frames.push(new WeakRef(frame))
        yield { frame }
      }
    },
  }
  const connection = { play: ignore, mark: ignore, clear: ignore }
  const session = new Session({
    agent: new Agent({ instructions: '' }),
    models: {
      llm: new ScriptedLlm(),
      tts: { name: 'voice', speaks: [pcm(16_000)], open: async () => voice },
    },
    line: { name: 'line', hears: pcm(16_000), speaks: pcm(16_000), open: async () => connection },
    clock,
    random,
    playoutTimeout: 60_000,
    turns: { mode: 'manual', ...(pauses ? { falseInterruption: {} } : {}) },
  })
  await session.start()
  session.say('A long story.')
  await clock.elapse(10)
  collect()
  const kept = frames.filter((each) => each.deref() !== undefined).length
  expect(frames).toHaveLength(100)
  await session.close()
  return kept
}

function ignore(): void {}

it('[SP9] the sound of a speech is kept in memory only if it can be paused', () =>
  inVirtualTime(async (world) => {
    expect(await framesKept(world, true)).toBe(100)
    expect(await framesKept(world, false)).toBeLessThan(5)
  }))

/** A call in which everything is used that has a function of its own: hooks, a tool, a speech. */
async function aShortCall(): Promise<void> {
  const line: Line = {
    name: 'line',
    hears: pcm(16_000),
    speaks: pcm(16_000),
    open: async (_, events) => ({
      play: ignore,
      mark: (id) => queueMicrotask(() => events.marked(id)),
      clear: ignore,
    }),
  }
  const voice = {
    async *speak(text: AsyncIterable<string>): AsyncGenerator<SpokenChunk> {
      for await (const _ of text) yield { frame: { samples: new Int16Array(320), sampleRate: 16_000 } }
    },
  }
  const session = new Session({
    agent: new Agent({
      instructions: '',
      tools: { look: tool({ description: 'Looks', run: async () => 'found' }) },
      onEnter: async ({ session: call, signal }) => void [call, signal],
      onExit: ignore,
    }),
    models: {
      llm: new ScriptedLlm({ answers: [[callTool('look')], ['Hello.']] }),
      tts: { name: 'voice', speaks: [pcm(16_000)], open: async () => voice },
    },
    line,
  })
  await session.start()
  await session.reply().waitForPlayout()
  await session.close()
}

/** Bytes per call that outlive collections of young objects. */
async function outliving(calls: number): Promise<number> {
  const old = (): number =>
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')!.space_used_size
  collect()
  const before = old()
  for (let n = 0; n < calls; n++) await aShortCall()
  // What survives two of them is old.
  for (let n = 0; n < 3; n++) collect({ type: 'minor' })
  return (old() - before) / calls
}

it('[SC22] closed sessions do not outlive collections of young objects', async () => {
  await outliving(200)
  // Node keeps about 2 KB of each signal, of which this call has six. A whole session has 50 KB.
  expect(await outliving(200)).toBeLessThan(20_000)
})
