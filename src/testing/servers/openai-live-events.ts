/** The format of a session's sound, both ways. */
export interface OpenAILiveFormat {
  type: 'audio/pcm' | 'audio/pcmu' | 'audio/pcma'
  rate: number
}

/** An agent's settings, as `session.start` has them. */
export interface OpenAILiveConfig {
  model?: string
  instructions?: string | null
  audio?: { format?: OpenAILiveFormat; output?: { voice?: unknown } }
  input?: { role: string; content: { text: string }[] }[]
  delegation?: {
    type: string
    responses?: { model?: string; instructions?: string | null; tools?: { name: string }[] }
  } | null
}

/** An event of the client, as loosely typed as it may arrive. */
export interface OpenAILiveClientEvent {
  type?: string
  event_id?: string | null
  session?: OpenAILiveConfig
  audio?: string
  content?: string
  delegation_id?: string | null
  item?: { type?: string; call_id?: string; output?: string }
}

/** The reasons of `session.closed`. */
export type OpenAILiveClosedReason =
  | 'close_requested'
  | 'expired'
  | 'content'
  | 'remote_hangup'
  | 'connection_lost'
