/** The messages of Deepgram's Flux. Times are in seconds from the start of the audio. */
export type FluxEvent = FluxConnected | FluxTurnInfo | FluxConfigured | FluxError

interface Numbered {
  request_id: string
  /** Counts all messages of the server, from 0. */
  sequence_id: number
}

export interface FluxConnected extends Numbered {
  type: 'Connected'
}

export interface FluxTurnInfo extends Numbered {
  type: 'TurnInfo'
  event: 'StartOfTurn' | 'Update' | 'EagerEndOfTurn' | 'TurnResumed' | 'EndOfTurn'
  turn_index: number
  audio_window_start: number
  audio_window_end: number
  /** The text of the whole turn so far. */
  transcript: string
  words: { word: string; confidence: number; start: number; end: number }[]
  end_of_turn_confidence: number
  trigger?: string
  languages?: string[]
}

export type FluxConfigured =
  | (Numbered & { type: 'ConfigureSuccess'; thresholds: object; keyterms: string[] })
  | (Numbered & { type: 'ConfigureFailure' })

export interface FluxError {
  type: 'Error'
  sequence_id: number
  code: string
  description: string
}

/** The client's messages besides audio. */
export type FluxControl =
  | { type: 'CloseStream' }
  | { type: 'ForceEndTurn' }
  | { type: 'Configure'; thresholds?: object; keyterms?: string[]; language_hints?: string[] }
