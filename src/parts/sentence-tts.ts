import { durationOf, type SampleRate } from '../audio/index.ts'
import { Channel, iterate, type Scope, SignalStop, type TaskContext } from '../scope/index.ts'
import type { PartContext } from './part.ts'
import { sentences, type SentenceOptions } from './sentences.ts'
import type { SpokenChunk, Tts, Voice } from './tts.ts'

/** Speaks one sentence at a time: an HTTP endpoint, a local model. */
export interface SentenceSynthesiser {
  readonly name: string
  readonly sampleRate: SampleRate
  /** Speaks one sentence. Times of words count from its own beginning. */
  synthesise(sentence: string, signal: AbortSignal): AsyncIterable<SpokenChunk>
}

export interface SentenceTtsOptions extends SentenceOptions {
  /** How many sentences are made before they are asked for: 1 unless set. What is not played was made in vain. */
  readonly ahead?: number
}

/** How long the sentences in the making have to stop when their speech is over. Whoever needs longer is left behind. */
const STOP_WITHIN = 250

/**
 * A `Tts` out of a synthesiser that speaks sentence by sentence: the next one is made while the current one plays, they
 * are given out in order, and all of them are cancelled together.
 */
export function sentenceTts(synthesiser: SentenceSynthesiser, options: SentenceTtsOptions = {}): Tts {
  const { name, sampleRate } = synthesiser
  return {
    name,
    sampleRate,
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
  const speech = scope.child(`speech of '${synthesiser.name}'`, { closeTimeout: STOP_WITHIN })
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
        yield later(chunk, before)
      }
      before += length
      slots.give()
    }
  } finally {
    stop.release()
    await speech.close({ reason: signal.aborted ? 'cancelled' : 'spoken' })
  }
}

/** Begins a sentence whenever there is room for one more. */
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
      // Dots and dashes alone have no sound, and some synthesisers answer them with an error.
      if (!/[\p{L}\p{N}]/u.test(sentence)) continue
      await task.until(slots.take())
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
    // It is thrown where it belongs: after the sound that came before it.
    channel.fail(error)
  }
}

/** The chunk with its words moved behind what was spoken before. */
function later(chunk: SpokenChunk, ms: number): SpokenChunk {
  if (ms === 0 || !chunk.words) return chunk
  const words = chunk.words.map(({ text, start, end }) => ({ text, start: start + ms, end: end + ms }))
  return { frame: chunk.frame, words }
}

/** Room for so many at a time. One taker. */
class Slots {
  #free: number
  #waiting: (() => void) | undefined

  constructor(free: number) {
    this.#free = free
  }

  async take(): Promise<void> {
    while (this.#free === 0) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve
      })
    }
    this.#free--
  }

  give(): void {
    this.#free++
    this.#waiting?.()
  }
}
