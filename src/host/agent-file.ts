import type { Agent, Models, SessionOptions } from '../session/index.ts'

/**
 * The default export of an agent file: the agent that answers calls, and its models.
 *
 * ```ts
 * export default {
 *   name: 'Bright Dental',
 *   agent: () => new Agent({ instructions: 'You answer the phone for Bright Dental.' }),
 *   models: () => ({ realtime: new OpenAIRealtime() }),
 * } satisfies AgentFile
 * ```
 */
export interface AgentFile {
  /** The name shown on the page. */
  readonly name: string
  /** The agent that answers. A function is called once per call. */
  readonly agent: Agent | (() => Agent)
  /** Creates the models. Called once per call. */
  readonly models: () => Models
  /** Example sentences shown on the page, for models that understand only these. */
  readonly phrases?: readonly string[]
  /** What to do after each call, by name. */
  readonly afterCall?: Readonly<Record<string, unknown>>
  /** Further options of the session. A function is called once per call, for example to name a recording. */
  readonly session?: CallOptions | ((call: { readonly id: string }) => CallOptions)
}

export type CallOptions = Omit<SessionOptions, 'agent' | 'models' | 'line' | 'intercept' | 'id'>
