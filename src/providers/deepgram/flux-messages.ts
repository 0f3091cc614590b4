import { checkByType } from '../vendor-message.ts'

/** The messages that are read; all others are ignored. */
export type FluxMessage =
  | { readonly type: 'Connected' | 'ConfigureSuccess' | 'ConfigureFailure' }
  | FluxTurnInfo
  | FluxError

export const checkFlux = checkByType<FluxMessage>({
  Connected: {},
  ConfigureSuccess: {},
  ConfigureFailure: {},
  TurnInfo: {
    event: 'id',
    turn_index: 'count',
    transcript: 'string',
    words: [{ word: 'string', confidence: 'number', start: 'seconds', end: 'seconds' }],
    languages: ['id'],
  },
  Error: { code: 'id', description: 'string' },
})

export interface FluxTurnInfo {
  readonly type: 'TurnInfo'
  /** `StartOfTurn`, `Update`, `EagerEndOfTurn`, `TurnResumed` or `EndOfTurn`. */
  readonly event?: string | undefined
  readonly turn_index?: number | undefined
  readonly transcript?: string | undefined
  readonly words?: readonly FluxWord[] | undefined
  /** The languages of the turn, the most frequent first. */
  readonly languages?: readonly string[] | undefined
}

/** Times are in seconds from the start of the audio. */
export interface FluxWord {
  readonly word?: string | undefined
  readonly confidence?: number | undefined
  readonly start?: number | undefined
  readonly end?: number | undefined
}

/** The connection is closed after it. */
export interface FluxError {
  readonly type: 'Error'
  readonly code?: string | undefined
  readonly description?: string | undefined
}

/** The messages that are sent. */
export type FluxControl =
  | { type: 'CloseStream' }
  | { type: 'ForceEndTurn' }
  | { type: 'Configure'; keyterms: string[] }
