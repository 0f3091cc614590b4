import { bytesFromSamples, durationOf } from '../../audio/index.ts'
import { soundOf } from '../sound-text.ts'
import type {
  CartesiaEvent,
  CartesiaFailure,
  CartesiaGeneration,
  CartesiaTimestamps,
} from './cartesia-events.ts'
import type { CartesiaManners } from './cartesia-manners.ts'
import type { ServerConnection } from './server-connection.ts'

/** How long a chunk sounds, in milliseconds. */
const CHUNK = 100

/** One thing to be said, of what kind it may be. */
type Step =
  | { readonly type: 'words'; readonly timestamps: CartesiaTimestamps['word_timestamps'] }
  | { readonly type: 'sound'; readonly samples: Int16Array }
  | { readonly type: 'flushed' }
  | { readonly type: 'done' }

/** The connection that a context speaks over. */
interface ContextOwner {
  readonly connection: ServerConnection
  readonly manners: CartesiaManners
  send(event: CartesiaEvent): void
}

/** What is spoken under one context id: a text that may come in pieces. */
export class CartesiaContext {
  readonly #id: string
  readonly #session: ContextOwner
  readonly #over: () => void
  #steps: Step[] = []
  #running = false
  /** Milliseconds that have been made, and chunks that were sent. */
  #made = 0
  #sent = 0
  #flushes = 0
  /** A word is told when it is complete. */
  #word = { text: '', start: 0 }

  constructor(id: string, session: ContextOwner, over: () => void) {
    this.#id = id
    this.#session = session
    this.#over = over
  }

  add(request: CartesiaGeneration): void {
    const wrong = whatIsWrong(request)
    if (wrong !== undefined) return this.#fail(wrong)
    if (this.#session.manners.rude.has('mute')) return undefined
    this.#say(request)
    const more = request.continue === true
    if (request.flush === true) this.#steps.push({ type: 'flushed' })
    if (!more) this.#steps.push({ type: 'done' })
    return this.#run()
  }

  /** Says no more. The vendor may go on with what it has begun: that is `ignores cancel`. */
  cancel(): void {
    this.#steps = [{ type: 'done' }]
    this.#run()
  }

  #say({ transcript, output_format, add_timestamps, continue: more }: CartesiaGeneration): void {
    const { msPerCharacter } = this.#session.manners
    const { samples, sampleRate } = soundOf(transcript, output_format.sample_rate, msPerCharacter)
    if (add_timestamps) this.#tellWords(transcript, more !== true)
    this.#made += durationOf({ samples, sampleRate })
    const size = (sampleRate * CHUNK) / 1_000
    for (let at = 0; at < samples.length; at += size)
      this.#steps.push({ type: 'sound', samples: samples.slice(at, at + size) })
  }

  /** The words that end in this text. They may have begun in the text before. */
  #tellWords(text: string, last: boolean): void {
    const { msPerCharacter } = this.#session.manners
    const timestamps: CartesiaTimestamps['word_timestamps'] = { words: [], start: [], end: [] }
    const tell = (end: number): void => {
      if (this.#word.text === '') return
      timestamps.words.push(this.#word.text)
      timestamps.start.push(this.#word.start / 1_000)
      timestamps.end.push(end / 1_000)
      this.#word.text = ''
    }
    for (const [index, character] of text.split('').entries()) {
      const at = this.#made + index * msPerCharacter
      if (/\s/.test(character)) tell(at)
      else if (this.#word.text === '') this.#word = { text: character, start: at }
      else this.#word.text += character
    }
    if (last) tell(this.#made + text.length * msPerCharacter)
    if (timestamps.words.length > 0) this.#steps.push({ type: 'words', timestamps })
  }

  #run(): void {
    if (this.#running) return
    this.#running = true
    this.#session.connection.after(this.#session.manners.thinks, 'cartesia thinks', () => this.#step())
  }

  #step(): void {
    const { connection, manners } = this.#session
    const step = this.#steps.shift()
    if (step === undefined) {
      this.#running = false
      return
    }
    this.#send(step)
    if (step.type !== 'sound') return this.#step()
    connection.after(manners.every, 'cartesia speaks', () => {
      if (this.#sent > 1) this.#step()
      else if (manners.rude.has('drops mid-context')) connection.drop()
      else if (manners.rude.has('fails')) this.#fail('the voice broke')
      else this.#step()
    })
    return undefined
  }

  #send(step: Step): void {
    const common = { context_id: this.#id, flush_id: this.#flushes, done: false } as const
    switch (step.type) {
      case 'words': {
        const word_timestamps = step.timestamps
        this.#session.send({ type: 'timestamps', status_code: 206, word_timestamps, ...common })
        return
      }
      case 'sound': {
        this.#sent++
        const data = Buffer.from(bytesFromSamples(step.samples)).toString('base64')
        this.#session.send({ type: 'chunk', data, step_time: 1, status_code: 206, ...common })
        return
      }
      case 'flushed':
        this.#session.send({ type: 'flush_done', flush_done: true, status_code: 206, ...common })
        this.#flushes++
        return
      case 'done':
        this.#steps = []
        this.#over()
        if (this.#session.manners.rude.has('never done')) return
        this.#session.send({ type: 'done', context_id: this.#id, status_code: 200, done: true })
    }
  }

  #fail(message: string): void {
    this.#steps = []
    this.#over()
    this.#session.send(failureOf(this.#id, message))
  }
}

function whatIsWrong({ model_id, voice, output_format }: CartesiaGeneration): string | undefined {
  if (!model_id) return 'model_id is missing'
  if (!voice) return 'voice is missing'
  if (output_format?.encoding === 'pcm_s16le' && output_format.sample_rate > 0) return undefined
  return 'output_format must be pcm_s16le, the only one that this server speaks'
}

export function failureOf(context_id: string, message: string): CartesiaFailure {
  const title = 'Invalid request'
  return {
    type: 'error',
    context_id,
    status_code: 400,
    title,
    message,
    error_code: 'bad_request',
    done: true,
  }
}
