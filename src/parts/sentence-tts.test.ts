import { describe, expect, it } from 'vitest'
import { pcm, durationOf } from '../audio/index.ts'
import { ScopeClosedError, type Scope } from '../scope/index.ts'
import { inVirtualTime, partContext, soundOf, textOf, type World } from '../testing/index.ts'
import { sentenceTts, type SentenceTtsOptions, type SpokenChunk, type Voice } from './index.ts'

const RATE = 16_000
const unaborted = (): AbortSignal => new AbortController().signal

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts
}

interface Open {
  readonly voice: Voice
  readonly scope: Scope<string>
  /** What the synthesiser did, and when. */
  readonly log: string[]
}

interface Faults {
  readonly takes?: number
  readonly fails?: string
  readonly hangs?: string
}

/** Opens a sentence TTS whose synthesiser takes 100 ms per sentence. */
async function open(world: World, faults: Faults = {}, options?: SentenceTtsOptions): Promise<Open> {
  const log: string[] = []
  const note = (what: string): void => void log.push(`${world.clock.now()} ${what}`)
  const context = partContext(world)
  async function* synthesise(sentence: string, signal: AbortSignal): AsyncGenerator<SpokenChunk> {
    note(`begins ${sentence}`)
    signal.addEventListener('abort', () => note(`is stopped in ${sentence}`))
    await world.clock.elapse(faults.takes ?? 100)
    if (sentence === faults.hangs) await new Promise(() => {})
    if (sentence === faults.fails) throw new Error(`cannot say ${sentence}`)
    const frame = soundOf(sentence, RATE, 10)
    note(`has made ${sentence}`)
    yield { frame, words: [{ text: sentence, start: 0, end: durationOf(frame) }] }
  }
  const tts = sentenceTts({ name: 'studio', sampleRate: RATE, synthesise }, options)
  return { voice: await tts.open(context, { format: pcm(RATE) }), scope: context.scope, log }
}

async function take(chunks: AsyncIterable<SpokenChunk>, into: SpokenChunk[] = []): Promise<SpokenChunk[]> {
  for await (const chunk of chunks) into.push(chunk)
  return into
}

const said = (chunks: readonly SpokenChunk[]): string => textOf(chunks.map(({ frame }) => frame))

describe('a sentence TTS', () => {
  it('speaks sentences in order, with word times relative to the whole speech', () =>
    inVirtualTime(async (world) => {
      const { voice, scope } = await open(world)
      const chunks = await take(voice.speak(pieces('One. Tw', 'o. Three.', ' …'), unaborted()))
      expect(said(chunks)).toBe('One. Two. Three. ')
      expect(chunks.flatMap(({ words = [] }) => words)).toEqual([
        { text: 'One. ', start: 0, end: 50 },
        { text: 'Two. ', start: 50, end: 100 },
        { text: 'Three. ', start: 100, end: 170 },
      ])
      expect(scope.inspect().tree.children).toEqual([])
      await scope.close()
    }))

  it('synthesises one sentence ahead of the consumer by default', () =>
    inVirtualTime(async (world) => {
      const { voice, scope, log } = await open(world)
      const speech = voice.speak(pieces('One. Two. Three. Four.'), unaborted())[Symbol.asyncIterator]()
      await speech.next()
      await world.clock.elapse(1_000)
      expect(log).toEqual(['0 begins One. ', '0 begins Two. ', '100 has made One. ', '100 has made Two. '])
      await speech.next()
      expect(log.at(-1)).toBe('1100 begins Three. ')
      await speech.return?.()
      await scope.close()
    }))

  it('synthesises nothing ahead with `ahead: 0`', () =>
    inVirtualTime(async (world) => {
      const { voice, scope, log } = await open(world, {}, { ahead: 0 })
      await take(voice.speak(pieces('One. Two.'), unaborted()))
      expect(log).toEqual(['0 begins One. ', '100 has made One. ', '100 begins Two.', '200 has made Two.'])
      await scope.close()
    }))

  it('throws an error after the audio that precedes it', () =>
    inVirtualTime(async (world) => {
      const { voice, scope } = await open(world, { fails: 'Two. ' })
      const chunks: SpokenChunk[] = []
      await expect(take(voice.speak(pieces('One. Two. Three.'), unaborted()), chunks)).rejects.toThrow(
        'cannot say Two.',
      )
      expect(said(chunks)).toBe('One. ')
      expect((await scope.close()).clean).toBe(true)
    }))

  it('throws an error of the text', () =>
    inVirtualTime(async (world) => {
      const { voice, scope } = await open(world)
      async function* broken(): AsyncGenerator<string> {
        yield 'One. Two'
        throw new Error('the model failed')
      }
      const chunks: SpokenChunk[] = []
      await expect(take(voice.speak(broken(), unaborted()), chunks)).rejects.toThrow('the model failed')
      expect(said(chunks)).toBe('One. ')
      await scope.close()
    }))

  it('stops all sentences together when its signal aborts, even those that hang', () =>
    inVirtualTime(async (world) => {
      const { voice, scope, log } = await open(world, { hangs: 'Two. ' })
      const stop = new AbortController()
      world.clock.happen(50, 'interrupts', () => stop.abort('interrupted'))
      await expect(take(voice.speak(pieces('One. Two. Three.'), stop.signal))).rejects.toBe('interrupted')
      expect(log.slice(2)).toEqual(['50 is stopped in One. ', '50 is stopped in Two. ', '100 has made One. '])
      expect(world.clock.now()).toBe(150)
      expect(scope.inspect().tree).toMatchObject({ owned: [], children: [] })
      await scope.close()
    }))

  it('ends with its scope, and cannot start in a closed one', () =>
    inVirtualTime(async (world) => {
      const { voice, scope } = await open(world, { hangs: 'One. ' })
      const speech = expect(take(voice.speak(pieces('One. Two.'), unaborted()))).rejects.toThrow('closed')
      await world.clock.elapse(10)
      await scope.close()
      await speech
      await expect(take(voice.speak(pieces('One.'), unaborted()))).rejects.toBeInstanceOf(ScopeClosedError)
      expect(world.clock.timers.list()).toEqual([])
    }))

  it('yields nothing for a text without words', () =>
    inVirtualTime(async (world) => {
      const { voice, scope, log } = await open(world)
      expect(await take(voice.speak(pieces('', ' … ', '\n—\n'), unaborted()))).toEqual([])
      expect(log).toEqual([])
      await scope.close()
    }))
})
