import type { RealtimeSetup } from '../../parts/index.ts'
import type { Check } from '../vendor-message.ts'
import type { ServerEvent } from './events.ts'

/** What differs between the services that speak OpenAI's realtime protocol. */
export interface RealtimeDialect {
  /** Checks a message before its fields are used, and puts it into OpenAI's form. */
  readonly check: Check<ServerEvent>
  /** All settings of a conversation. */
  settings(setup: Omit<RealtimeSetup, 'messages'>): object
  /** The settings that change with the agent. */
  agentSettings(setup: Pick<RealtimeSetup, 'instructions' | 'tools'>): object
  /** Whether the service transcribes the user's turns. */
  readonly transcribes: boolean
  /** Whether a complete transcript may be replaced by another one until the model answers. Default: false. */
  readonly revisesTranscripts?: boolean
  /** How long a cancelled answer may go on before the next request is sent. Default: 5 s. */
  readonly cancelTimeout?: number
  /** Whether the service answers a `response.cancel` and a `conversation.item.truncate`. Default: true. */
  readonly answersAttempts?: boolean
  /** How long a session lasts if the service does not announce its end. Default: unlimited. */
  readonly lifetime?: number
  /** The item that makes the service speak a text word for word. Default: the service cannot. */
  say?(words: string): object
}
