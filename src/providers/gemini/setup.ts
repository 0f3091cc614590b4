import type { RealtimeSetup, ToolDescription } from '../../parts/index.ts'
import type { FunctionDeclaration, Setup } from './messages.ts'
import { withExtra, type Extra } from '../extra.ts'
import { schemaOf } from './schema.ts'

/** The options that a setup is built from, besides the agent's. */
export interface SetupOptions {
  readonly model: string
  readonly voice?: string | undefined
  readonly language?: string | undefined
  readonly temperature?: number | undefined
  readonly compression: boolean | { readonly triggerTokens?: number; readonly targetTokens?: number }
  readonly silence?: number | undefined
  readonly prefixPadding?: number | undefined
  readonly extra?: Extra | undefined
}

/** The part of a setup that depends on the agent. */
export type AgentSetup = Pick<RealtimeSetup, 'instructions' | 'tools' | 'takesTurns'>

/** The first message of a connection. With a handle it resumes a conversation, otherwise it starts a new one. */
export function setupOf(options: SetupOptions, agent: AgentSetup, handle: string | undefined): Setup {
  const { instructions, tools } = agent
  const setup: Setup = {
    model: options.model.includes('/') ? options.model : `models/${options.model}`,
    generationConfig: generationOf(options),
    ...(instructions === '' ? {} : { systemInstruction: { parts: [{ text: instructions }] } }),
    ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: tools.map(declare) }] }),
    sessionResumption: handle === undefined ? {} : { handle },
    ...compressionOf(options),
    inputAudioTranscription: {},
    outputAudioTranscription: {},
    realtimeInputConfig: inputOf(options, agent),
  }
  return withExtra(setup, options.extra)
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
 * Always blocking, whatever the model's default: the model waits for the result and continues when the session asks it
 * to. Otherwise it would keep talking while a tool runs and answer the result at a time of its own choice.
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

/** With manual turns, the session delimits the user's turns, and the user's voice does not interrupt an answer. */
function inputOf(
  { silence, prefixPadding }: SetupOptions,
  { takesTurns }: AgentSetup,
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
