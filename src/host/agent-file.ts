import type { Agent, Models, SessionOptions } from '../session/index.ts'

/**
 * What the default export of an agent's file says: who answers, and with which models.
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
  /** What the page calls it. */
  readonly name: string
  /** Who answers a call. A function is asked for each one. */
  readonly agent: Agent | (() => Agent)
  /** What hears, thinks and speaks, made for each call. */
  readonly models: () => Models
  /** What can be said, shown in the page: for models that understand these sentences only. */
  readonly phrases?: readonly string[]
  /** Whatever else a session can be told. A function is asked for each call: a recording belongs to one. */
  readonly session?: CallOptions | ((call: { readonly id: string }) => CallOptions)
}

export type CallOptions = Omit<SessionOptions, 'agent' | 'models' | 'line' | 'intercept' | 'id'>
