import type { RealtimeSetup, ToolDescription } from '../../parts/index.ts'
import type { FunctionDeclaration, Setup } from './messages.ts'
import { schemaOf } from './schema.ts'

/** What a setup is made of, besides who the agent is. */
export interface SetupOptions {
  readonly model: string
  readonly voice?: string | undefined
  readonly language?: string | undefined
  readonly temperature?: number | undefined
  readonly compression: boolean | { readonly triggerTokens?: number; readonly targetTokens?: number }
  readonly silence?: number | undefined
  readonly prefixPadding?: number | undefined
  /** Fields of the setup that are sent as they are. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined
}

/** Who the agent is, and who takes the turns. */
export type Role = Pick<RealtimeSetup, 'instructions' | 'tools' | 'takesTurns'>

/** The first message of a connection: a new conversation, or, with a handle, the one that it belongs to. */
export function setupOf(options: SetupOptions, role: Role, handle: string | undefined): Setup {
  const { instructions, tools } = role
  return {
    model: options.model.includes('/') ? options.model : `models/${options.model}`,
    generationConfig: generationOf(options),
    ...(instructions === '' ? {} : { systemInstruction: { parts: [{ text: instructions }] } }),
    ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: tools.map(declare) }] }),
    sessionResumption: handle === undefined ? {} : { handle },
    ...compressionOf(options),
    inputAudioTranscription: {},
    outputAudioTranscription: {},
    realtimeInputConfig: inputOf(options, role),
    ...options.extra,
  }
}

function generationOf({ voice, language, temperature }: SetupOptions): Setup['generationConfig'] {
  const speechConfig = {
    ...(voice === undefined ? {} : { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } }),
    ...(language === undefined ? {} : { languageCode: language }),
  }
  return {
    responseModalities: ['AUDIO'],
    ...(temperature === undefined ? {} : { temperature }),
    ...(Object.keys(speechConfig).length === 0 ? {} : { speechConfig }),
  }
}

/**
 * Blocking, whatever the model's own default is: the model waits for the result, and the answer goes on when the session
 * asks for it. Else it would talk on while a tool runs, and answer a result when it likes.
 */
function declare({ name, description, parameters }: ToolDescription): FunctionDeclaration {
  const schema = schemaOf(parameters)
  const declared: FunctionDeclaration = { name, description, behavior: 'BLOCKING' }
  return schema.properties ? { ...declared, parameters: schema } : declared
}

function compressionOf({ compression }: SetupOptions): Pick<Setup, 'contextWindowCompression'> {
  if (compression === false) return {}
  const { triggerTokens, targetTokens } = compression === true ? {} : compression
  return {
    contextWindowCompression: {
      ...(triggerTokens === undefined ? {} : { triggerTokens: String(triggerTokens) }),
      slidingWindow: targetTokens === undefined ? {} : { targetTokens: String(targetTokens) },
    },
  }
}

/** Turns by hand: the session says what belongs to a turn, and nothing that is heard meanwhile stops an answer. */
function inputOf(
  { silence, prefixPadding }: SetupOptions,
  { takesTurns }: Role,
): Setup['realtimeInputConfig'] {
  if (!takesTurns)
    return { automaticActivityDetection: { disabled: true }, activityHandling: 'NO_INTERRUPTION' }
  return {
    automaticActivityDetection: {
      ...(prefixPadding === undefined ? {} : { prefixPaddingMs: prefixPadding }),
      ...(silence === undefined ? {} : { silenceDurationMs: silence }),
    },
  }
}
