import { CHUNKS_PER_SECOND, chunk } from './parts.ts'

/** About as many objects and bytes as an idle session: 20 KB. */
const OBJECTS = 250

/** Stages that a frame passes through, so that a turn has as many promises as that of a session: 230. A start has 69. */
const STAGES = 6

/** What the platform charges for sessions, without endwell: objects that live on, and frames that pass through generators. */
class BareSession {
  readonly #objects: { at: number; next: unknown; readonly list: number[] }[] = []
  #played = 0

  async start(): Promise<this> {
    for (let n = 0; n < OBJECTS; n++) {
      this.#objects.push({ at: n, next: this.#objects.at(-1), list: [n] })
      if (n % 8 === 0) await Promise.resolve()
    }
    return this
  }

  async talk(): Promise<void> {
    let sounds: AsyncIterable<typeof chunk> = speak(answer())
    for (let stage = 0; stage < STAGES; stage++) sounds = passed(sounds)
    for await (const sound of sounds) {
      this.#played += sound.samples.length
      this.#objects[this.#played % OBJECTS]!.at++
    }
  }
}

export function startBare(count: number): Promise<BareSession[]> {
  return Promise.all(Array.from({ length: count }, () => new BareSession().start()))
}

async function* answer(): AsyncGenerator<string> {
  yield 'We are open from eight to six, from Monday to Friday.'
}

async function* speak(text: AsyncIterable<string>): AsyncGenerator<typeof chunk> {
  for await (const _ of text) for (let n = 0; n < CHUNKS_PER_SECOND; n++) yield chunk
}

async function* passed<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const value of source) yield value
}
