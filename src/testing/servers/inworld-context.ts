import {
  asSampleRate,
  bytesFromSamples,
  encodeALaw,
  encodeMuLaw,
  encodeWav,
  sampleRates,
  type AudioFrame,
} from '../../audio/index.ts'
import { soundOf } from '../sound-text.ts'
import { audioChunks } from './audio-chunks.ts'
import type { InworldChunk, InworldCreate, InworldPayload } from './inworld-events.ts'
import type { ServerConnection } from './server-connection.ts'
import { SpeechSteps } from './speech-steps.ts'
import { spokenWords } from './spoken-words.ts'
import type { VoiceManners } from './voice-server.ts'

/** The session that a context belongs to. */
export interface InworldContextHost {
  readonly connection: ServerConnection
  readonly manners: VoiceManners
  send(contextId: string, payload: InworldPayload): void
  /** Reports an error of a context, which does not end it. */
  fail(contextId: string, code: number, message: string): void
}

/** `LINEAR16` has the header of a WAV file in every message. */
const encoders: Readonly<Record<string, (frame: AudioFrame) => Uint8Array>> = {
  PCM: ({ samples }) => bytesFromSamples(samples),
  LINEAR16: ({ samples, sampleRate }) => encodeWav([samples], sampleRate),
  MULAW: ({ samples }) => encodeMuLaw(samples),
  ALAW: ({ samples }) => encodeALaw(samples),
}

const rates: ReadonlySet<number> = new Set(sampleRates)

/** Why a context cannot be created; undefined if it can. */
export function createProblem({
  voiceId = '',
  modelId = '',
  audioConfig = {},
}: InworldCreate): string | undefined {
  const { audioEncoding = '', sampleRateHertz = 0 } = audioConfig
  if (voiceId === '') return 'voiceId is missing'
  if (modelId === '') return 'modelId is missing'
  if (!Object.hasOwn(encoders, audioEncoding)) return `unknown encoding '${audioEncoding}'`
  return rates.has(sampleRateHertz) ? undefined : `unsupported rate ${sampleRateHertz}`
}

/** One context: its text, which is spoken in parts, and its speech. */
export class InworldContext {
  readonly #id: string
  readonly #session: InworldContextHost
  readonly #settings: InworldCreate
  readonly #ended: () => void
  readonly #steps: SpeechSteps
  /** Text that waits for more. */
  #buffer = ''
  #isFlushed = true

  constructor(id: string, session: InworldContextHost, settings: InworldCreate, ended: () => void) {
    this.#id = id
    this.#session = session
    this.#settings = settings
    this.#ended = ended
    this.#steps = new SpeechSteps(session.connection, session.manners, () => this.#breaks())
    session.send(id, { contextCreated: settings })
  }

  add(text: string): void {
    this.#buffer += text
    this.#isFlushed = false
    const { autoMode, bufferCharThreshold = 1_000 } = this.#settings
    if (autoMode || this.#buffer.length >= bufferCharThreshold) this.#speak()
  }

  flush(): void {
    this.#speak()
    this.#isFlushed = true
  }

  /** Ends the context. Text that was flushed is still spoken; the rest is dropped. */
  close(): void {
    const { rude } = this.#session.manners
    if (!this.#isFlushed && !rude.has('talks on')) this.#steps.clear()
    if (!rude.has('never done')) this.#steps.push({ send: () => this.#closed() })
  }

  /** Speaks the buffer. Times count from the start of this part. */
  #speak(): void {
    const text = this.#buffer
    this.#buffer = ''
    if (this.#session.manners.rude.has('mute')) return
    const { sampleRateHertz = 24_000, audioEncoding = 'PCM' } = this.#settings.audioConfig ?? {}
    const sound = soundOf(text, asSampleRate(sampleRateHertz), this.#session.manners.msPerCharacter)
    const isAsync = this.#settings.timestampTransportStrategy === 'ASYNC'
    let times = this.#settings.timestampType === 'WORD' ? this.#timesOf(text) : {}
    for (const frame of audioChunks(sound)) {
      const audioContent = Buffer.from(encoders[audioEncoding]!(frame)).toString('base64')
      this.#push({ audioContent, ...(isAsync ? {} : times) }, text)
      if (!isAsync) times = {}
    }
    // The times come after the audio, in a message of their own.
    if (isAsync && 'timestampInfo' in times) this.#push({ audioContent: '', ...times }, text)
    this.#steps.push({ send: () => this.#session.send(this.#id, { flushCompleted: {} }) })
  }

  #push(chunk: Pick<InworldChunk, 'audioContent' | 'timestampInfo'>, text: string): void {
    const usage = { processedCharactersCount: text.length, modelId: this.#settings.modelId ?? '' }
    const send = (): void => this.#session.send(this.#id, { audioChunk: { ...chunk, usage } })
    this.#steps.push({ send, audio: chunk.audioContent !== '' })
  }

  #timesOf(text: string): Pick<InworldChunk, 'timestampInfo'> {
    const words = spokenWords(text, this.#session.manners.msPerCharacter)
    return {
      timestampInfo: {
        wordAlignment: {
          words: words.map((word) => word.text),
          wordStartTimeSeconds: words.map(({ start }) => start / 1_000),
          wordEndTimeSeconds: words.map(({ end }) => end / 1_000),
        },
      },
    }
  }

  /** Misbehaves after the first audio. */
  #breaks(): boolean {
    const { connection, manners } = this.#session
    if (manners.rude.has('drops mid-context')) connection.drop()
    else if (manners.rude.has('fails')) this.#fail()
    else return false
    return true
  }

  #fail(): void {
    this.#steps.clear()
    this.#ended()
    this.#session.fail(this.#id, 13, 'the voice broke')
  }

  #closed(): void {
    this.#ended()
    this.#session.send(this.#id, { contextClosed: {} })
  }
}
