import { durationOf, pcm, type SampleRate } from '../audio/index.ts'
import {
  Channel,
  iterate,
  SignalStop,
  checkOptions,
  type Scope,
  type TaskContext,
  type OptionNames,
} from '../scope/index.ts'
import type { PartContext } from './part.ts'
import { sentences, type SentenceOptions } from './sentences.ts'
import type { SpokenChunk, Tts, Voice } from './tts.ts'

/** Synthesises one sentence at a time: an HTTP endpoint, a local model. */
export interface SentenceSynthesiser {
  readonly name: string
  readonly sampleRate: SampleRate
  /** Speaks one sentence. Word times are relative to the start of the sentence. */
  synthesise(sentence: string, signal: AbortSignal): AsyncIterable<SpokenChunk>
}

export interface SentenceTtsOptions extends SentenceOptions {
  /** How many sentences to synthesise ahead. Default: 1. Sentences that are not played are wasted. */
  readonly ahead?: number
}

const optionNames: OptionNames<SentenceTtsOptions> = {
  maxLength: true,
  abbreviations: true,
  ahead: true,
}

/** The time limit for unfinished sentences to stop when their speech ends; then they are abandoned. */
const STOP_TIMEOUT = 250

/**
 * Turns a synthesiser of single sentences into a `Tts`. The next sentence is synthesised while the current one plays, and
 * all sentences of a speech are cancelled together.
 */
export function sentenceTts(synthesiser: SentenceSynthesiser, options: SentenceTtsOptions = {}): Tts {
  checkOptions('sentenceTts', options, optionNames)
  const { name, sampleRate } = synthesiser
  return {
    name,
    speaks: [pcm(sampleRate)],
    open: async ({ scope }: PartContext): Promise<Voice> => ({
      speak: (text, signal) => speak(synthesiser, options, scope, text, signal),
    }),
  }
}

async function* speak(
  synthesiser: SentenceSynthesiser,
  options: SentenceTtsOptions,
  scope: Scope<string>,
  text: AsyncIterable<string>,
  signal: AbortSignal,
): AsyncGenerator<SpokenChunk> {
  signal.throwIfAborted()
  const speech = scope.child(`speech of '${synthesiser.name}'`, { closeTimeout: STOP_TIMEOUT })
  const stop = new SignalStop(signal, scope)
  const made = new Channel<Channel<SpokenChunk>>()
  const slots = new Slots((options.ahead ?? 1) + 1)
  speech.spawn('sentences', (task) => split(synthesiser, options, task, text, slots, made))
  let before = 0
  try {
    for await (const sound of iterate(made, stop)) {
      let length = 0
      for await (const chunk of iterate(sound, stop)) {
        length += durationOf(chunk.frame)
        yield delayed(chunk, before)
      }
      before += length
      slots.release()
    }
  } finally {
    stop.release()
    await speech.close({ reason: signal.aborted ? 'cancelled' : 'spoken' })
  }
}

/** Starts the synthesis of each sentence as soon as a slot is free. */
async function split(
  synthesiser: SentenceSynthesiser,
  options: SentenceTtsOptions,
  task: TaskContext,
  text: AsyncIterable<string>,
  slots: Slots,
  made: Channel<Channel<SpokenChunk>>,
): Promise<void> {
  try {
    for await (const sentence of sentences(iterate(text, task), options)) {
      // Punctuation alone makes no sound, and some synthesisers reject it.
      if (!/[\p{L}\p{N}]/u.test(sentence)) continue
      await task.until(slots.acquire())
      const sound = new Channel<SpokenChunk>()
      made.push(sound)
      task.scope.spawn('sentence', (own) => fill(sound, synthesiser.synthesise(sentence, own.signal), own))
    }
    made.end()
  } catch (error) {
    made.fail(error)
  }
}

async function fill<T>(channel: Channel<T>, source: AsyncIterable<T>, task: TaskContext): Promise<void> {
  try {
    for await (const value of iterate(source, task)) channel.push(value)
    channel.end()
  } catch (error) {
    // The consumer gets the error in its place, after the audio that precedes it.
    channel.fail(error)
  }
}

/** Shifts the word times of a chunk. */
function delayed(chunk: SpokenChunk, ms: number): SpokenChunk {
  if (ms === 0 || !chunk.words) return chunk
  const words = chunk.words.map(({ text, start, end }) => ({ text, start: start + ms, end: end + ms }))
  return { frame: chunk.frame, words }
}

/** A semaphore with at most one waiter. */
class Slots {
  #free: number
  #waiting: (() => void) | undefined

  constructor(free: number) {
    this.#free = free
  }

  async acquire(): Promise<void> {
    while (this.#free === 0) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve
      })
    }
    this.#free--
  }

  release(): void {
    this.#free++
    this.#waiting?.()
  }
}
