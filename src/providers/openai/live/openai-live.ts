import { aLaw, muLaw, pcm, type AudioFormat } from '../../../audio/index.ts'
import type { Protocol } from '../../../link/index.ts'
import type {
  PartContext,
  Realtime,
  RealtimeEvents,
  RealtimeModel,
  RealtimeSetup,
} from '../../../parts/index.ts'
import { checkOptions, type OptionNames } from '../../../scope/index.ts'
import { withExtra, type Extra } from '../../extra.ts'
import { ModelEndWarning } from '../../model-ends.ts'
import { OpenAIEndpoint, endpointNames, type OpenAIEndpointOptions } from '../endpoint.ts'
import type { OpenAIVoice } from '../session-config.ts'
import type { LiveFormat, LiveSession } from './live-events.ts'
import { LiveModel, type LiveAgent } from './live-model.ts'

export interface OpenAILiveOptions extends OpenAIEndpointOptions {
  /** The name in reports and logs. Default: `openai`. */
  readonly name?: string
  /** The model that listens and speaks. Default: `gpt-live-1`. */
  readonly model?: string
  /** The model of the Responses API that it delegates to, which calls the tools. Default: `gpt-5.4-mini`. */
  readonly backend?: string
  /** A voice of the service, or `{ id }` for a custom one. Default: `marin`. */
  readonly voice?: OpenAIVoice
  /**
   * How long a requested answer may take to begin, in milliseconds, before it fails: the model may decide not to speak.
   * Default: 10 s.
   */
  readonly answerTimeout?: number
  /** Fields of the service's own protocol, merged last into `session.start`: `{ store: true }`. */
  readonly extra?: Extra
}

/** The models that are used unless others are chosen. */
export const LIVE_MODEL = 'gpt-live-1'
export const BACKEND_MODEL = 'gpt-5.4-mini'

const optionNames: OptionNames<OpenAILiveOptions> = {
  ...endpointNames,
  name: true,
  model: true,
  backend: true,
  voice: true,
  answerTimeout: true,
  extra: true,
}

const formats: readonly AudioFormat[] = [pcm(24_000), pcm(16_000), muLaw, aLaw]

/**
 * OpenAI's GPT-Live models, which listen and speak at the same time and decide by themselves when to speak. They cannot be
 * given words to say, and an answer that is requested is only suggested to them. Tools are called by a second model, the
 * `backend`. The session confirms its end, and when it expires or its connection breaks, the conversation is carried over
 * to a new one.
 *
 * ```ts
 * const realtime = new OpenAILive({ voice: 'cedar' })
 * const session = new Session({ agent, models: { realtime }, line })
 * ```
 */
export class OpenAILive implements Realtime {
  readonly name: string
  readonly product: string | undefined
  readonly hears = formats
  readonly speaks = formats
  readonly #request: Protocol['request']
  readonly #settings: (agent: LiveAgent, format: AudioFormat) => Omit<LiveSession, 'input'>
  readonly #answerTimeout: number
  readonly #modelEnds: readonly ModelEndWarning[]

  /** Throws `MissingKeyError` without a key. */
  constructor(options: OpenAILiveOptions = {}) {
    checkOptions('OpenAILive', options, optionNames)
    const { model = LIVE_MODEL, backend = BACKEND_MODEL, voice = 'marin', extra } = options
    const endpoint = new OpenAIEndpoint(options)
    this.product = endpoint.vendor && `openai/${model}`
    this.name = options.name ?? 'openai'
    this.#request = endpoint.dialRequest('/live/sessions', {})
    this.#answerTimeout = options.answerTimeout ?? 10_000
    this.#modelEnds = [model, backend].map((each) => new ModelEndWarning(this.name, endpoint.vendor, each))
    const settings = (
      { instructions, tools }: LiveAgent,
      format: AudioFormat,
    ): Omit<LiveSession, 'input'> => {
      const described = tools.map((tool) => ({ type: 'function' as const, ...tool }))
      const session: Omit<LiveSession, 'input'> = {
        model,
        ...(instructions === '' ? {} : { instructions }),
        audio: { format: wireFormatOf(format), output: { voice } },
        delegation: { type: 'responses', responses: { model: backend, instructions, tools: described } },
      }
      return withExtra(session, extra)
    }
    this.#settings = settings
  }

  open(context: PartContext, setup: RealtimeSetup, events: RealtimeEvents): Promise<RealtimeModel> {
    for (const end of this.#modelEnds) end.warn(context)
    const model = new LiveModel(context, setup, events, {
      name: this.name,
      request: this.#request,
      answerTimeout: this.#answerTimeout,
      settings: this.#settings,
    })
    return model.open()
  }
}

function wireFormatOf({ encoding, sampleRate }: AudioFormat): LiveFormat {
  if (encoding === 'pcm') return { type: 'audio/pcm', rate: sampleRate }
  return { type: encoding === 'mulaw' ? 'audio/pcmu' : 'audio/pcma', rate: 8_000 }
}
