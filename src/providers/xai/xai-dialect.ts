import { aLaw, muLaw, pcm, type AudioFormat } from '../../audio/index.ts'
import type { RealtimeSetup } from '../../parts/index.ts'
import { withExtra } from '../extra.ts'
import type { RealtimeDialect } from '../openai-realtime/dialect.ts'
import { checkServerEvent, type ServerEvent } from '../openai-realtime/events.ts'
import type { Check } from '../vendor-message.ts'
import type { XaiRealtimeOptions, XaiTurnDetection } from './xai-options.ts'

/** The formats of the service, both ways. It speaks at 24 kHz by default. */
export const formats: readonly AudioFormat[] = [
  pcm(24_000),
  pcm(48_000),
  pcm(16_000),
  pcm(8_000),
  muLaw,
  aLaw,
]

/** The time limit of a session. The service does not announce its end. */
const LIFETIME = 60 * 60_000
/** A cancelled answer is often left without `response.done`. */
const CANCEL_TIMEOUT = 500
/** The transcription model that sends the text of a turn while the user speaks. */
const TRANSCRIPTION_MODEL = 'grok-transcribe'

const TRANSCRIPTION = 'conversation.item.input_audio_transcription'

/** xAI's Voice Agent API: OpenAI's events, with settings of its own. */
export function xaiDialect(options: XaiRealtimeOptions): RealtimeDialect {
  return {
    check: checkXaiEvent,
    settings: (setup) => settingsOf(options, setup),
    agentSettings,
    transcribes: true,
    revisesTranscripts: true,
    cancelTimeout: CANCEL_TIMEOUT,
    answersAttempts: false,
    lifetime: LIFETIME,
    say: (text) => ({ type: 'force_message', role: 'assistant', content: [{ type: 'output_text', text }] }),
  }
}

function settingsOf(
  { voice = 'eve', speed, reasoning, transcription = {}, turnDetection = {}, extra }: XaiRealtimeOptions,
  { instructions, tools, takesTurns, hears, speaks }: Omit<RealtimeSetup, 'messages'>,
): object {
  const { language, keywords } = transcription
  const settings = {
    ...agentSettings({ instructions, tools }),
    voice,
    turn_detection: takesTurns ? turnDetectionOf(turnDetection) : { type: null },
    ...(reasoning === undefined ? {} : { reasoning: { effort: reasoning } }),
    audio: {
      input: {
        format: wireFormatOf(hears),
        transcription: {
          model: TRANSCRIPTION_MODEL,
          ...(language === undefined ? {} : { language_hint: language }),
          ...(keywords === undefined ? {} : { keyterms: keywords }),
        },
      },
      output: { format: wireFormatOf(speaks ?? formats[0]!), ...(speed === undefined ? {} : { speed }) },
    },
  }
  return withExtra(settings, extra)
}

function agentSettings({ instructions, tools }: Pick<RealtimeSetup, 'instructions' | 'tools'>): object {
  const functions = tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    parameters,
  }))
  return { instructions, tools: functions }
}

function turnDetectionOf({ threshold, prefix, silence, idleTimeout }: XaiTurnDetection): object {
  return {
    type: 'server_vad',
    ...(threshold === undefined ? {} : { threshold }),
    ...(prefix === undefined ? {} : { prefix_padding_ms: prefix }),
    ...(silence === undefined ? {} : { silence_duration_ms: silence }),
    ...(idleTimeout === undefined ? {} : { idle_timeout_ms: idleTimeout }),
  }
}

function wireFormatOf({ encoding, sampleRate: rate }: AudioFormat): object {
  if (encoding === 'pcm') return { type: 'audio/pcm', rate }
  return { type: encoding === 'mulaw' ? 'audio/pcmu' : 'audio/pcma', rate }
}

interface XaiEvent {
  type?: unknown
  status?: unknown
  transcript?: unknown
  soFar?: unknown
  response?: { status_details?: unknown } | null
}

/** Puts an event into OpenAI's form and checks it. */
const checkXaiEvent: Check<ServerEvent> = (message): message is object & ServerEvent => {
  const event: XaiEvent = message
  const isUnfinished = event.type === `${TRANSCRIPTION}.completed` && event.status === 'in_progress'
  if (isUnfinished || event.type === `${TRANSCRIPTION}.updated`) {
    event.type = `${TRANSCRIPTION}.delta`
    event.soFar = event.transcript
  }
  // A string such as 'unimplemented', where OpenAI has an object.
  if (typeof event.response?.status_details === 'string') delete event.response.status_details
  return checkServerEvent(message)
}
