import { bytesOf, durationOf, frameOf, pcm, type AudioFormat } from '../audio/index.ts'
import type { PartContext, SoundSetup, SpokenChunk, SpokenWord, Tts, Voice } from '../parts/index.ts'
import { SignalStop, iterate, checkOptions, type OptionNames } from '../scope/index.ts'
import type { PartInstance } from './part-instance.ts'
import { PartInstances, mannerNames, type PartCounts, type PartManners } from './part-instances.ts'
import { soundOf } from './sound-text.ts'
import { never } from './never.ts'

export interface ScriptedTtsOptions extends PartManners {
  /** Default: PCM of 16 kHz. */
  speaks?: readonly AudioFormat[]
  /** Milliseconds of speech per character. Default: 50, about the pace of people. */
  msPerCharacter?: number
  /** Whether it reports word times. Default: true. */
  words?: boolean
  /** Milliseconds per frame. Default: 20. */
  frame?: number
  /** Milliseconds until the first frame. Default: 0. */
  firstAfter?: number
  /** How much faster than real time the audio is generated. Default: `Infinity`. */
  speed?: number
  /** Fails after this many milliseconds of audio. */
  failAfter?: number
  /** Stalls after this many milliseconds of audio, until the signal aborts. */
  stallAfter?: number
  /** The error of `failAfter`. */
  error?: unknown
  /** Misbehaves: ignores its signal, even while it stalls. */
  ignoresSignal?: boolean
}

const optionNames: OptionNames<ScriptedTtsOptions> = {
  ...mannerNames,
  speaks: true,
  msPerCharacter: true,
  words: true,
  frame: true,
  firstAfter: true,
  speed: true,
  failAfter: true,
  stallAfter: true,
  error: true,
  ignoresSignal: true,
}

/** The record of one speech. `left` means that its consumer stopped reading. */
export interface ScriptedSpeech {
  /** The text received so far. */
  readonly text: string
  /** Milliseconds of audio that were yielded. */
  readonly given: number
  readonly how: 'running' | 'completed' | 'cancelled' | 'failed' | 'left'
}

type Speech = { -readonly [K in keyof ScriptedSpeech]: ScriptedSpeech[K] }

/** A TTS whose audio encodes its text, so that a `TestLine` knows which characters were heard: see `soundOf`. */
export class ScriptedTts implements Tts {
  readonly name: string
  readonly speaks: readonly AudioFormat[]
  readonly counts: PartCounts
  readonly speeches: ScriptedSpeech[] = []
  readonly #instances: PartInstances
  readonly #options: ScriptedTtsOptions

  constructor(options: ScriptedTtsOptions = {}) {
    checkOptions('ScriptedTts', options, optionNames)
    this.#options = options
    this.#instances = new PartInstances('tts', options, 'closed')
    this.counts = this.#instances
    this.name = this.#instances.name
    this.speaks = options.speaks ?? [pcm(16_000)]
  }

  open(context: PartContext, { format = this.speaks[0]! }: Partial<SoundSetup> = {}): Promise<Voice> {
    return this.#instances.open(context, (instance) => ({
      speak: (text, signal) => this.#speak(instance, format, text, signal),
    }))
  }

  /** The number of speeches in progress. */
  get running(): number {
    return this.speeches.filter(({ how }) => how === 'running').length
  }

  async *#speak(
    instance: PartInstance,
    format: AudioFormat,
    text: AsyncIterable<string>,
    signal: AbortSignal,
  ): AsyncGenerator<SpokenChunk> {
    const speech: Speech = { text: '', given: 0, how: 'running' }
    this.speeches.push(speech)
    const effectiveSignal = this.#options.ignoresSignal ? undefined : signal
    const stop = new SignalStop(effectiveSignal ?? new AbortController().signal, instance.context.scope)
    const offEnd = instance.onEnd(() => stop.release())
    try {
      instance.check('speak', effectiveSignal)
      const { firstAfter = 0, speed = Infinity, failAfter = Infinity, stallAfter = Infinity } = this.#options
      const faultAfter = Math.min(failAfter, stallAfter)
      for await (const chunks of this.#chunks(speech, format, iterate(text, stop))) {
        for (const chunk of chunks) {
          if (speech.given === 0 && firstAfter > 0)
            await instance.wait(firstAfter, 'draws breath', effectiveSignal)
          if (speech.given >= faultAfter) await this.#fault(instance, speech.given, effectiveSignal)
          instance.check('speak', effectiveSignal)
          const ms = durationOf(chunk.frame)
          speech.given += ms
          yield chunk
          if (speed < Infinity) await instance.wait(ms / speed, 'speaks', effectiveSignal)
        }
      }
      speech.how = 'completed'
    } catch (error) {
      speech.how = effectiveSignal?.aborted ? 'cancelled' : 'failed'
      throw error
    } finally {
      offEnd()
      stop.release()
      if (speech.how === 'running') speech.how = 'left'
    }
  }

  /** Yields the frames of each complete word. */
  async *#chunks(
    speech: Speech,
    format: AudioFormat,
    text: AsyncIterable<string>,
  ): AsyncGenerator<SpokenChunk[]> {
    const { msPerCharacter = 50, frame = 20, words = true } = this.#options
    const { sampleRate } = format
    const length = (frame * sampleRate) / 1000
    let waiting: SpokenWord[] = []
    let rest = new Int16Array(0)
    let made = 0
    let framed = 0
    const chunk = (samples: Int16Array): SpokenChunk => {
      framed += (samples.length * 1000) / sampleRate
      const here = waiting.filter(({ start }) => start < framed)
      waiting = waiting.slice(here.length)
      const plain = { samples, sampleRate }
      // Encoded as a vendor does it.
      const sound = format.encoding === 'pcm' ? plain : frameOf(bytesOf(plain, format), format)
      return { frame: sound, ...(words && here.length > 0 ? { words: here } : {}) }
    }
    for await (const word of wordsOf(speech, text)) {
      const { samples } = soundOf(word, sampleRate, msPerCharacter)
      const start = made
      made += (samples.length * 1000) / sampleRate
      waiting.push({ text: word, start, end: made })
      const sound = new Int16Array(rest.length + samples.length)
      sound.set(rest)
      sound.set(samples, rest.length)
      let at = 0
      const chunks: SpokenChunk[] = []
      for (; at + length <= sound.length; at += length) chunks.push(chunk(sound.subarray(at, at + length)))
      rest = sound.subarray(at)
      yield chunks
    }
    if (rest.length === 0) return
    const last = new Int16Array(length)
    last.set(rest)
    yield [chunk(last)]
  }

  /** Fails or stalls, if it is time to. */
  async #fault(instance: PartInstance, given: number, signal: AbortSignal | undefined): Promise<void> {
    const { failAfter = Infinity, stallAfter = Infinity, ignoresSignal } = this.#options
    if (given >= failAfter) throw this.#options.error ?? new Error('the voice broke')
    if (given >= stallAfter) await (ignoresSignal ? never() : instance.stall('stalls', signal))
  }
}

/** Yields each word with the space after it, as soon as the next one begins. */
async function* wordsOf(speech: Speech, text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of text) {
    speech.text += piece
    const words = (rest + piece).match(/^\s+|\S+\s*/g) ?? []
    rest = words.pop() ?? ''
    yield* words
  }
  if (rest) yield rest
}
