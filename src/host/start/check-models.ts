import { pcm } from '../../audio/index.ts'
import type { Line } from '../../parts/index.ts'
import { Session, type Models } from '../../session/index.ts'
import { agentFor, type AgentFile } from '../agent-file.ts'

/** A line that is never opened. */
const noLine: Line = {
  name: 'none',
  hears: pcm(16_000),
  speaks: pcm(16_000),
  open: () => Promise.reject(new Error('this line is never opened')),
}

/**
 * Makes the agent, the models and a session with them once, so that a mistake is reported when the server starts and not
 * in the first call (HO11). Constructors check their options and what they need to be installed; nothing is connected.
 */
export async function checkModels(
  { agent, session, models: own }: AgentFile,
  choose: () => Models = own,
): Promise<Models> {
  const models = choose()
  const made = new Session({
    // A function is called once per call, and may have effects that belong to a call.
    ...(typeof session === 'function' ? {} : session),
    agent: agentFor({ agent }),
    models,
    line: noLine,
  })
  await made.close()
  return models
}

/** The names of the models, by kind: `{ llm: 'gpt-5.4-mini' }`. */
export function modelNames(models: Models): Readonly<Record<string, string>> {
  const parts = Object.entries(models) as [string, { readonly name?: string } | undefined][]
  return Object.fromEntries(parts.flatMap(([kind, part]) => (part?.name ? [[kind, part.name]] : [])))
}
