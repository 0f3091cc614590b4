import type { RealtimeSetup, ToolDescription } from '../../parts/index.ts'
import { withExtra, type Extra } from '../extra.ts'
import type { Abilities } from './abilities.ts'
import type { ContextUpdate, FunctionDeclaration, Setup } from './messages.ts'
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
  readonly abilities: Abilities
  readonly extra?: Extra | undefined
}

/** The part of a setup that depends on the agent. */
export type AgentSetup = Pick<RealtimeSetup, 'instructions' | 'tools' | 'takesTurns'>

/**
 * The first message of a connection. With a handle it resumes a conversation, otherwise it starts a new one. With
 * `hasHistory`, the first content that follows is history.
 */
export function setupOf(
  options: SetupOptions,
  agent: AgentSetup,
  handle: string | undefined,
  hasHistory: boolean,
): Setup {
  const { instructions, tools } = agent
  const setup: Setup = {
    model: options.model,
    generationConfig: generationOf(options),
    ...(instructions === '' ? {} : { systemInstruction: { parts: [{ text: instructions }] } }),
    ...(tools.length === 0 ? {} : { tools: toolsOf(options, tools) }),
    sessionResumption: handle === undefined ? {} : { handle },
    ...compressionOf(options),
    inputAudioTranscription: {},
    outputAudioTranscription: {},
    ...(hasHistory ? { historyConfig: { initialHistoryInClientContent: true } } : {}),
    realtimeInputConfig: inputOf(options, agent),
  }
  return withExtra(setup, options.extra)
}

/** Switches a connection to another agent. */
export function contextUpdateOf(options: SetupOptions, { instructions, tools }: AgentSetup): ContextUpdate {
  return {
    systemInstruction: { parts: [{ text: instructions }] },
    tools: { tools: tools.length === 0 ? [] : toolsOf(options, tools) },
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
 * Blocking where the model can, whatever its default: it waits for the result and continues when the session asks it to.
 * Otherwise it would keep talking while a tool runs and answer the result at a time of its own choice.
 */
function toolsOf(
  { abilities: { tools: behavior } }: SetupOptions,
  tools: readonly ToolDescription[],
): { functionDeclarations: FunctionDeclaration[] }[] {
  const declared = tools.map(({ name, description, parameters }): FunctionDeclaration => {
    const schema = schemaOf(parameters)
    return {
      name,
      description,
      ...(behavior === undefined ? {} : { behavior }),
      ...(schema.properties ? { parameters: schema } : {}),
    }
  })
  return [{ functionDeclarations: declared }]
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
