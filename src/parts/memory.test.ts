import { pcm } from '../audio/index.ts'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { SignalStop, iterate } from '../scope/index.ts'
import { ScriptedLlm, inVirtualTime, partContext, type World } from '../testing/index.ts'
import { sentenceTts, type SpokenChunk } from './index.ts'
import { fallbackLlm, fallbackTts } from './fallback/index.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Held from outside, like a promise inside a library, so that a stuck source cannot be collected. */
const stuck: unknown[] = []

function never(): Promise<never> {
  const promise = new Promise<never>((...settle) => void stuck.push(settle))
  stuck.push(promise)
  return promise
}

/** Yields one value and then hangs forever, in `next()` and in `return()`. */
function hangs<T>(first: T): AsyncIterable<T> {
  let given = false
  const iterator: AsyncIterator<T> = {
    next: () => {
      if (given) return never()
      given = true
      return Promise.resolve({ done: false, value: first })
    },
    return: never,
  }
  stuck.push(iterator)
  return { [Symbol.asyncIterator]: () => iterator }
}

async function drainInto(taken: unknown[], source: AsyncIterable<unknown>): Promise<void> {
  for await (const value of source) taken.push(value)
}

const setup = { format: pcm(16_000) }
const frame = { samples: new Int16Array(320), sampleRate: 16_000 } as const
const request = { instructions: '', messages: [], tools: [] }

/** Uses of sources that hang. Each is cancelled and closed while it is stuck, and returns a reference to its scope. */
const uses: [string, (world: World) => Promise<WeakRef<object>>][] = [
  [
    'iterate() in a task',
    async (world) => {
      const { scope } = partContext(world)
      const task = scope.spawn('take', (own) => drainInto([], iterate(hangs(1), own)))
      await world.clock.elapse(10)
      task.cancel()
      await world.clock.elapse(200)
      await scope.close()
      return new WeakRef(scope)
    },
  ],
  [
    'iterate() with a signal',
    async (world) => {
      const { scope } = partContext(world)
      const controller = new AbortController()
      const stop = new SignalStop(controller.signal, scope)
      const taking = drainInto([], iterate(hangs(1), stop)).catch(() => {})
      await world.clock.elapse(10)
      controller.abort()
      await taking
      stop.release()
      await scope.close()
      return new WeakRef(scope)
    },
  ],
  [
    'a sentence TTS',
    async (world) => {
      const context = partContext(world)
      const synthesise = (): AsyncIterable<SpokenChunk> => hangs({ frame })
      const voice = await sentenceTts({ name: 'rude', sampleRate: 16_000, synthesise }).open(context, setup)
      const controller = new AbortController()
      const speaking = drainInto([], voice.speak(hangs('One. Two. Three. '), controller.signal)).catch(
        () => {},
      )
      await world.clock.elapse(10)
      controller.abort()
      await speaking
      await context.scope.close()
      return new WeakRef(context.scope)
    },
  ],
  [
    'a fallback of voices',
    async (world) => {
      const context = partContext(world)
      const rude = {
        name: 'rude',
        speaks: [pcm(16_000)],
        open: async () => ({ speak: () => hangs({ frame }) }),
      }
      const voice = await fallbackTts([rude]).open(context, setup)
      const controller = new AbortController()
      const speaking = drainInto([], voice.speak(hangs('One. '), controller.signal)).catch(() => {})
      await world.clock.elapse(10)
      controller.abort()
      await speaking
      await context.scope.close()
      return new WeakRef(context.scope)
    },
  ],
  [
    'a fallback of LLMs',
    async (world) => {
      const context = partContext(world)
      const rude = {
        name: 'rude',
        open: async () => ({ generate: () => hangs({ type: 'text', text: 'a' } as const) }),
      }
      const client = await fallbackLlm([rude, new ScriptedLlm()]).open(context)
      const controller = new AbortController()
      const answering = drainInto([], client.generate(request, controller.signal)).catch(() => {})
      await world.clock.elapse(10)
      controller.abort()
      await answering
      await context.scope.close()
      return new WeakRef(context.scope)
    },
  ],
]

it('waiting with a signal keeps nothing that it waited for alive', () =>
  inVirtualTime(async (world) => {
    const { scope } = partContext(world)
    const stop = new SignalStop(new AbortController().signal, scope)
    const kept = async (): Promise<WeakRef<object>[]> => {
      const [value, error] = [{}, {}]
      await stop.until(Promise.resolve(value))
      await stop.until(Promise.reject(error)).catch(() => {})
      return [new WeakRef(value), new WeakRef(error)]
    }
    const references = await kept()
    await world.clock.elapse(1)
    collect()
    expect(references.map((reference) => reference.deref())).toEqual([undefined, undefined])
    stop.release()
    await scope.close()
  }))

describe('[SC9] a source that hangs forever keeps no scope alive', () => {
  it.each(uses)('%s', (_, use) =>
    inVirtualTime(async (world) => {
      const scope = await use(world)
      for (let round = 0; round < 5; round++) {
        // The virtual clock keeps cleared timers until they are due.
        await world.clock.elapse(10_000)
        collect()
      }
      expect(scope.deref()).toBeUndefined()
    }),
  )
})
