import { describe, expect, it } from 'vitest'
import { durationOf } from '../audio/index.ts'
import type { SpokenChunk } from '../parts/index.ts'
import {
  ScriptedTts,
  inVirtualTime,
  partContext,
  textOf,
  type ScriptedTtsOptions,
  type World,
} from './index.ts'

const unaborted = (): AbortSignal => new AbortController().signal

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts
}

async function all(chunks: AsyncIterable<SpokenChunk>): Promise<SpokenChunk[]> {
  const given: SpokenChunk[] = []
  for await (const chunk of chunks) given.push(chunk)
  return given
}

/** Speaks in a new scope. */
async function speak(
  world: World,
  options: ScriptedTtsOptions,
  text: AsyncIterable<string>,
  signal = unaborted(),
): Promise<{ chunks: SpokenChunk[]; tts: ScriptedTts }> {
  const context = partContext(world)
  const tts = new ScriptedTts(options)
  const voice = await tts.open(context)
  try {
    return { chunks: await all(voice.speak(text, signal)), tts }
  } finally {
    await context.scope.close()
  }
}

describe('a scripted TTS', () => {
  it('speaks 50 ms per character, and yields each word where it starts', () =>
    inVirtualTime(async (world) => {
      const { chunks, tts } = await speak(world, {}, pieces('Good mor', 'ning to', ' you.'))
      expect(textOf(chunks.map(({ frame }) => frame))).toBe('Good morning to you.')
      expect(chunks.every(({ frame }) => durationOf(frame) === 20)).toBe(true)
      expect(chunks.flatMap(({ words = [] }) => words)).toEqual([
        { text: 'Good ', start: 0, end: 250 },
        { text: 'morning ', start: 250, end: 650 },
        { text: 'to ', start: 650, end: 800 },
        { text: 'you.', start: 800, end: 1000 },
      ])
      expect(chunks.findIndex(({ words }) => words?.[0]?.text === 'morning ')).toBe(12)
      expect(tts.speeches).toEqual([{ text: 'Good morning to you.', given: 1000, how: 'completed' }])
    }))

  it('can omit words, delay the first chunk, and speak in real time', () =>
    inVirtualTime(async (world) => {
      const { chunks } = await speak(world, { words: false, firstAfter: 300, speed: 1 }, pieces('Hello'))
      expect(chunks.some(({ words }) => words)).toBe(false)
      expect(chunks).toHaveLength(13)
      expect(world.clock.now()).toBe(300 + 13 * 20)
    }))

  it('yields nothing for an empty text', () =>
    inVirtualTime(async (world) => {
      expect((await speak(world, {}, pieces())).chunks).toEqual([])
      expect((await speak(world, {}, pieces('', ''))).chunks).toEqual([])
    }))

  it('can fail in the middle, or stall until its signal aborts', () =>
    inVirtualTime(async (world) => {
      await expect(speak(world, { failAfter: 100 }, pieces('Hello'))).rejects.toThrow('the voice broke')
      const stop = new AbortController()
      world.clock.happen(500, 'interrupts', () => stop.abort('interrupted'))
      await expect(speak(world, { stallAfter: 100 }, pieces('Hello'), stop.signal)).rejects.toBe(
        'interrupted',
      )
    }))

  it('stops on abort while it waits for text that never arrives', () =>
    inVirtualTime(async (world) => {
      async function* hung(): AsyncGenerator<string> {
        yield 'Well, '
        await new Promise(() => {})
      }
      const stop = new AbortController()
      world.clock.happen(500, 'interrupts', () => stop.abort('interrupted'))
      await expect(speak(world, {}, hung(), stop.signal)).rejects.toBe('interrupted')
    }))

  it('continues after an abort with `ignoresSignal`', () =>
    inVirtualTime(async (world) => {
      const { chunks } = await speak(world, { ignoresSignal: true }, pieces('Hello'), AbortSignal.abort())
      expect(chunks).toHaveLength(13)
    }))
})
