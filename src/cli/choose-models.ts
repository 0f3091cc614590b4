import type { AgentFile } from '../host/index.ts'
import { GeminiLive } from '../providers/gemini/index.ts'
import { OpenAIRealtime } from '../providers/openai/index.ts'
import { OptionError } from '../scope/index.ts'
import type { Models } from '../session/index.ts'

/** What hears, thinks and speaks, and how it is called. */
export interface Choice {
  readonly name: 'own' | 'openai' | 'gemini'
  readonly models: () => Models
  /** What can be said: only the agent's own models may understand no more than that. */
  readonly phrases?: readonly string[]
}

/**
 * The agent's own models, or a realtime model of a vendor: the one that was asked for, or the one there is a key for.
 * No line of the agent changes with it.
 */
export function chooseModels(
  { models, phrases }: AgentFile,
  wanted: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Choice {
  switch (wanted ?? keyed(env)) {
    case 'own':
    case 'local':
      return { name: 'own', models, ...(phrases ? { phrases } : {}) }
    case 'openai':
      return { name: 'openai', models: () => ({ realtime: new OpenAIRealtime() }) }
    case 'gemini':
      return { name: 'gemini', models: () => ({ realtime: new GeminiLive() }) }
    default:
      throw new OptionError(`--model can be local, openai or gemini; it is '${wanted}'`)
  }
}

function keyed(env: Readonly<Record<string, string | undefined>>): string {
  if (env['OPENAI_API_KEY']) return 'openai'
  return env['GEMINI_API_KEY'] ? 'gemini' : 'own'
}

/** The models by what they do, for the page. */
export function namesOf(models: Models): Readonly<Record<string, string>> {
  const parts = Object.entries(models) as [string, { readonly name?: string } | undefined][]
  return Object.fromEntries(parts.flatMap(([kind, part]) => (part?.name ? [[kind, part.name]] : [])))
}
