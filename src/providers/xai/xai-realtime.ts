import type { Protocol } from '../../link/index.ts'
import type {
  PartContext,
  Realtime,
  RealtimeEvents,
  RealtimeModel,
  RealtimeSetup,
} from '../../parts/index.ts'
import { keySource } from '../api-key.ts'
import { checkUrl } from '../check-url.ts'
import type { RealtimeDialect } from '../openai-realtime/dialect.ts'
import { OpenAIRealtimeModel } from '../openai-realtime/openai-realtime-model.ts'
import { queryString } from '../query-string.ts'
import { formats, xaiDialect } from './xai-dialect.ts'
import { checkXaiOptions, type XaiRealtimeOptions } from './xai-options.ts'

/**
 * xAI's realtime speech-to-speech models (Grok Voice). `session.say()` is spoken word for word. When a session of the
 * service ends after an hour, or its connection breaks, the conversation is carried over to a new one.
 *
 * ```ts
 * const realtime = new XaiRealtime({ voice: 'ara' })
 * const session = new Session({ agent, models: { realtime }, line })
 * ```
 */
export class XaiRealtime implements Realtime {
  readonly name: string
  readonly hears = formats
  readonly speaks = formats
  readonly #request: Protocol['request']
  readonly #dialect: RealtimeDialect

  /** Throws `MissingKeyError` without a key. */
  constructor(options: XaiRealtimeOptions = {}) {
    checkXaiOptions(options)
    this.name = options.name ?? 'xai'
    this.#request = requestOf(options)
    this.#dialect = xaiDialect(options)
  }

  async open(context: PartContext, setup: RealtimeSetup, events: RealtimeEvents): Promise<RealtimeModel> {
    const options = { name: this.name, request: this.#request, dialect: this.#dialect }
    return new OpenAIRealtimeModel(options, context, setup, events).open()
  }
}

/** The request that a link dials. Each dial uses the current key. */
function requestOf({
  apiKey,
  url = 'wss://api.x.ai/v1',
  model = 'grok-voice-latest',
}: XaiRealtimeOptions): Protocol['request'] {
  checkUrl('xai', url)
  const address = `${url.replace(/\/+$/, '').replace(/^http/, 'ws')}/realtime?${queryString({ model })}`
  const currentKey = keySource('xai', apiKey, 'XAI_API_KEY')
  const request = (key: string) => ({ url: address, headers: { authorization: `Bearer ${key}` } })
  return () => {
    const key = currentKey()
    return typeof key === 'string' ? request(key) : key.then(request)
  }
}
