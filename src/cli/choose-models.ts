import type { AgentFile, OpenedAgent } from '../host/index.ts'
import { OptionError, didYouMean } from '../scope/index.ts'
import type { Models } from '../session/index.ts'

/** The models of a session, and where they come from. */
export interface Choice {
  readonly name: 'own' | 'openai' | 'gemini'
  readonly models: () => Models
  /** Phrases to suggest to the user. Only for the agent's own models, which may understand nothing else. */
  readonly phrases?: readonly string[]
}

/**
 * Chooses the agent's own models, or the realtime model of a vendor: the one that is wanted, otherwise the one whose key is
 * in the environment. The agent is the same for all of them.
 */
export async function chooseModels(
  { models, phrases }: AgentFile,
  wanted: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Choice> {
  switch (wanted ?? modelWithKey(env)) {
    case 'own':
    case 'local':
      return { name: 'own', models, ...(phrases ? { phrases } : {}) }
    // Each vendor is loaded when it is wanted.
    case 'openai': {
      const { OpenAIRealtime } = await import('../providers/openai/index.ts')
      return { name: 'openai', models: () => ({ realtime: new OpenAIRealtime() }) }
    }
    case 'gemini': {
      const { GeminiLive } = await import('../providers/gemini/index.ts')
      return { name: 'gemini', models: () => ({ realtime: new GeminiLive() }) }
    }
    default:
      throw new OptionError(
        `--model must be local, openai or gemini, not '${wanted}'.${didYouMean(wanted!, ['local', 'openai', 'gemini'])}`,
      )
  }
}

/** An agent file with the models that a command uses. */
export interface ChosenAgent extends OpenedAgent {
  readonly choice: Choice
}

/** Loads an agent file, chooses the models, and reports what is missing for them (HO11). */
export async function openChosen(path: string, wanted: string | undefined): Promise<ChosenAgent> {
  const { openAgent } = await import('../host/index.ts')
  let choice: Choice | undefined
  const opened = await openAgent(path, async (file) => {
    choice = await chooseModels(file, wanted, process.env)
    return choice.models
  })
  return { ...opened, choice: choice! }
}

function modelWithKey(env: Readonly<Record<string, string | undefined>>): string {
  if (env['OPENAI_API_KEY']) return 'openai'
  return env['GEMINI_API_KEY'] ? 'gemini' : 'own'
}
