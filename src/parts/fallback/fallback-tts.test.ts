import { describe, expect, it } from 'vitest'
import { pcm, silence } from '../../audio/index.ts'
import type { Scope } from '../../scope/index.ts'
import {
  ScriptedTts,
  inVirtualTime,
  partContext,
  textOf,
  type ScriptedTtsOptions,
  type World,
} from '../../testing/index.ts'
import { type SpokenChunk, type Tts, type Voice } from '../index.ts'
import { fallbackTts, type FallbackOptions } from './index.ts'

const unaborted = (): AbortSignal => new AbortController().signal

async function open(
  world: World,
  voices: readonly Tts[],
  options?: FallbackOptions,
): Promise<{ voice: Voice; scope: Scope<string> }> {
  const context = partContext(world)
  const tts = fallbackTts(voices, options)
  return { voice: await tts.open(context, { format: tts.speaks[0]! }), scope: context.scope }
}

async function take(chunks: AsyncIterable<SpokenChunk>, into: SpokenChunk[] = []): Promise<SpokenChunk[]> {
  for await (const chunk of chunks) into.push(chunk)
  return into
}

const said = (chunks: readonly SpokenChunk[]): string => textOf(chunks.map(({ frame }) => frame))

/** Text as a model streams it: a word every 100 ms. */
async function* written({ clock }: World, text: string, log: string[] = []): AsyncGenerator<string> {
  try {
    for (const word of text.match(/\S+\s*/g) ?? []) {
      await clock.elapse(100)
      yield word
    }
  } finally {
    log.push('text returned')
  }
}

describe('a fallback of voices', () => {
  it('[FB1] has the next voice speak the whole text, including what the first has already read', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedTts({ name: 'one', firstAfter: 250, failAfter: 0 })
      const two = new ScriptedTts({ name: 'two' })
      const { voice, scope } = await open(world, [one, two])
      expect(said(await take(voice.speak(written(world, 'Good morning to you.'), unaborted())))).toBe(
        'Good morning to you.',
      )
      expect(one.speeches[0]?.text).toBe('Good morning ')
      expect(two.speeches[0]?.text).toBe('Good morning to you.')
      await scope.close()
    }))

  it('does not switch voices in the middle of a speech', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedTts({ name: 'one', failAfter: 100 })
      const { voice, scope } = await open(world, [one, new ScriptedTts()])
      const chunks: SpokenChunk[] = []
      await expect(take(voice.speak(written(world, 'Good morning.'), unaborted()), chunks)).rejects.toThrow(
        'the voice broke',
      )
      expect(said(chunks)).toBe('Go')
      await scope.close()
    }))

  it('gives up on a voice that has text but yields no audio, and not on one whose text is slow', () =>
    inVirtualTime(async (world) => {
      const faults: ScriptedTtsOptions = { name: 'one' }
      const one = new ScriptedTts(faults)
      const two = new ScriptedTts({ name: 'two' })
      const { voice, scope } = await open(world, [one, two], { firstWithin: 50 })
      expect(said(await take(voice.speak(written(world, 'a b c d e f'), unaborted())))).toBe('a b c d e f')
      expect(two.counts.asked).toBe(0)
      faults.stallAfter = 0
      expect(said(await take(voice.speak(written(world, 'g h i'), unaborted())))).toBe('g h i')
      expect(one.speeches[1]).toMatchObject({ text: 'g h ', how: 'cancelled' })
      await scope.close()
    }))

  it('[FB2] throws an error of the text, which does not count as a failure of the voice', () =>
    inVirtualTime(async (world) => {
      const changes: unknown[] = []
      const { voice, scope } = await open(world, [new ScriptedTts(), new ScriptedTts()], {
        onChange: (change) => changes.push(change),
      })
      const broken: AsyncIterable<string> = {
        [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('the model failed')) }),
      }
      await expect(take(voice.speak(broken, unaborted()))).rejects.toThrow('the model failed')
      expect(changes).toEqual([])
      await scope.close()
    }))

  it('stops when it is cancelled and releases the text, even if voice and text hang', () =>
    inVirtualTime(async (world) => {
      const rude = new ScriptedTts({ stallAfter: 0, ignoresSignal: true })
      const { voice, scope } = await open(world, [rude])
      const log: string[] = []
      const stop = new AbortController()
      world.clock.happen(250, 'interrupts', () => stop.abort('interrupted'))
      const speech = take(voice.speak(written(world, 'Good morning to you.', log), stop.signal))
      await expect(speech).rejects.toBe('interrupted')
      expect(world.clock.now()).toBe(350)
      await world.clock.elapse(200)
      expect(log).toEqual(['text returned'])
      await scope.close()
    }))

  it('releases a text that hangs when its consumer has left', () =>
    inVirtualTime(async (world) => {
      const eager: Tts = {
        name: 'eager',
        speaks: [pcm(16_000)],
        open: async () => ({
          async *speak(text) {
            const pieces = text[Symbol.asyncIterator]()
            await pieces.next()
            pieces.next().catch(() => {})
            yield { frame: silence(20, 16_000) }
          },
        }),
      }
      const { voice, scope } = await open(world, [eager])
      const log: string[] = []
      const hung: AsyncIterable<string> = {
        [Symbol.asyncIterator]: () => ({
          next: () =>
            log.push('next') === 1 ? Promise.resolve({ value: 'One two' }) : new Promise(() => {}),
          return: () => {
            log.push('return')
            return Promise.resolve({ done: true, value: undefined })
          },
        }),
      }
      for await (const chunk of voice.speak(hung, unaborted())) if (chunk) break
      await world.clock.elapse(0)
      expect(log).toEqual(['next', 'next', 'return'])
      await scope.close()
    }))

  it('speaks at the rate of the first voice, whichever voice speaks', () =>
    inVirtualTime(async (world) => {
      const one = new ScriptedTts({ name: 'one', speaks: [pcm(24_000)], openFails: new Error('no key') })
      const two = new ScriptedTts({ name: 'two', speaks: [pcm(8_000)] })
      expect(fallbackTts([one, two]).speaks).toEqual([pcm(24_000)])
      const { voice, scope } = await open(world, [one, two])
      const chunks = await take(voice.speak(written(world, 'Hello'), unaborted()))
      expect(new Set(chunks.map(({ frame }) => frame.sampleRate))).toEqual(new Set([24_000]))
      await scope.close()
      expect(two.counts.live).toBe(0)
    }))
})
