import { ApiError, invalid } from './openai-error.ts'
import type { OpenAIClientEvent, OpenAIServerEventBody } from './openai-events.ts'
import type { OpenAISession, OpenAISessionUpdate, OpenAITurnDetection } from './openai-session-config.ts'
import type { OpenAIWire } from './openai-wire.ts'

const TRANSCRIPTION = 'conversation.item.input_audio_transcription'

/** Events of OpenAI that xAI does not send. */
const UNSENT: ReadonlySet<string> = new Set([
  `${TRANSCRIPTION}.failed`,
  'conversation.item.truncated',
  'conversation.item.done',
  'rate_limits.updated',
])

/** The settings of a session as xAI's clients send them. */
interface XaiSessionUpdate {
  voice?: string
  instructions?: string
  turn_detection?: { type: 'server_vad' | null } | null
  tools?: object[]
  audio?: { input?: XaiInput; output?: { format?: { type?: string }; speed?: number } }
}

interface XaiInput {
  format?: { type?: string }
  transcription?: object
}

/**
 * The differences of xAI's events from OpenAI's. The vendor is rude in ways that clients were seen to trip over: a turn has
 * several complete transcripts, one of them late; an interrupted answer is left without `response.done`; items follow an item
 * that was never announced; `conversation.item.truncate` is not answered; `status_details` is a string.
 */
export class XaiWire implements OpenAIWire {
  readonly rates = [8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
  /** Whether the server ends the user's turns. */
  #detectsTurns = true
  /** The text so far, by item. */
  readonly #texts = new Map<string, string>()
  /** A transcript that is repeated after the answer has begun. */
  #late: object | undefined
  #unannounced = 0

  read(event: OpenAIClientEvent): OpenAIClientEvent {
    if (event.type === 'session.update')
      return { ...event, session: this.#readSettings(event.session as XaiSessionUpdate) }
    if (event.type === 'conversation.item.create' && event.item.type === 'force_message')
      return this.#readWords(event)
    if (event.type === 'conversation.item.retrieve')
      throw new ApiError('invalid_event', `Unsupported event: '${event.type}'.`, 'type', 'invalid_event')
    if (event.type === 'input_audio_buffer.commit' && this.#detectsTurns)
      throw invalid('invalid_event', 'The buffer can be committed only if turn_detection is null.')
    return event
  }

  write(event: OpenAIServerEventBody): readonly object[] {
    if (UNSENT.has(event.type)) return []
    if (event.type === 'session.created')
      return [
        { ...event, session: sessionOf(event.session) },
        { type: 'conversation.created', conversation: { id: 'conv_1', object: 'realtime.conversation' } },
      ]
    if (event.type === 'session.updated') return [{ ...event, session: sessionOf(event.session) }]
    if (event.type === `${TRANSCRIPTION}.delta`) return [this.#updatedTranscript(event.item_id, event.delta)]
    if (event.type === `${TRANSCRIPTION}.completed`) return this.#completedTranscripts(event)
    if (event.type === 'conversation.item.added' && 'role' in event.item && event.item.role === 'user')
      return [{ ...event, previous_item_id: `item_hidden_${++this.#unannounced}` }]
    if (event.type === 'response.created' || event.type === 'response.done') return responseOf(event)
    if (event.type === 'response.output_audio.done') return [event, ...this.#takeLate()]
    if (event.type === 'error') return [{ ...event, error: { ...event.error, ...errorOf(event.error) } }]
    return [event]
  }

  /** Only what is at its place counts: a voice or turn detection where OpenAI has them is ignored. */
  #readSettings({
    voice,
    turn_detection: detection,
    audio = {},
    ...rest
  }: XaiSessionUpdate): OpenAISessionUpdate {
    if (detection !== undefined) this.#detectsTurns = detection?.type === 'server_vad'
    const turns = this.#detectsTurns ? (detection as OpenAITurnDetection) : null
    const input = { ...audio.input, turn_detection: turns }
    const output = { ...audio.output, voice }
    if (detection === undefined) Reflect.deleteProperty(input, 'turn_detection')
    if (voice === undefined) Reflect.deleteProperty(output, 'voice')
    return { ...rest, type: 'realtime', audio: { input, output } }
  }

  /** The text of a `force_message` is a response of its own. */
  #readWords({ item, event_id }: Extract<OpenAIClientEvent, { type: 'conversation.item.create' }>) {
    const words = item.content?.map(({ text = '' }) => text).join('') ?? ''
    if (words === '') throw invalid('invalid_value', 'A force_message needs a text.', 'item.content')
    const event: OpenAIClientEvent = { type: 'response.create', response: { words } }
    return event_id === undefined ? event : { ...event, event_id }
  }

  #updatedTranscript(item_id: string, delta: string): object {
    const transcript = (this.#texts.get(item_id) ?? '') + delta
    this.#texts.set(item_id, transcript)
    return { type: `${TRANSCRIPTION}.updated`, item_id, content_index: 0, transcript }
  }

  #completedTranscripts(
    event: Extract<OpenAIServerEventBody, { type: `${typeof TRANSCRIPTION}.completed` }>,
  ): readonly object[] {
    const { type, item_id, content_index, transcript } = event
    this.#texts.delete(item_id)
    const completed = { type, item_id, content_index, transcript }
    const rough = transcript.replace(/\s*\S+$/, '')
    this.#late = completed
    return [
      { ...completed, transcript: rough, status: 'in_progress' },
      { ...completed, transcript: rough },
      { ...completed, status: 'completed' },
    ]
  }

  #takeLate(): readonly object[] {
    const late = this.#late
    this.#late = undefined
    return late ? [late] : []
  }
}

/** An interrupted answer has no end, and the details of a status are a string. */
function responseOf(
  event: Extract<OpenAIServerEventBody, { type: 'response.created' | 'response.done' }>,
): readonly object[] {
  const { status, status_details: details = 'unimplemented' } = event.response
  if (status === 'cancelled') return []
  return [{ ...event, response: { ...event.response, status_details: details } }]
}

/** The settings as xAI sends them: without the end of the session, and with voice and turn detection at the top. */
function sessionOf({ id, audio, ...session }: OpenAISession): object {
  const { turn_detection, ...input } = audio.input
  if (!('output' in audio)) throw new TypeError('xAI has no sessions for transcription')
  const { voice, ...output } = audio.output
  const { instructions, tools, model } = session as Extract<OpenAISession, { type: 'realtime' }>
  return {
    id,
    object: 'realtime.session',
    model,
    instructions,
    tools,
    voice,
    turn_detection: turn_detection ?? { type: null },
    audio: { input, output },
  }
}

function errorOf({ type, code }: { type: string; code: string }): { type: string; code: string | null } {
  if (code === 'session_expired') return { type: 'max_duration', code: null }
  return { type: type === 'server_error' ? 'internal_error' : type, code }
}
