/** The messages of Cartesia's Ink 2. */
export type InkEvent =
  | { type: 'connected'; request_id: string }
  | { type: 'turn.start' | 'turn.resume'; request_id: string }
  /** With the text of the whole turn so far. */
  | { type: 'turn.update' | 'turn.eager_end' | 'turn.end'; request_id: string; transcript: string }
  | InkError

/** An error about one message leaves the connection open. */
export interface InkError {
  type: 'error'
  request_id: string
  status_code: number
  title: string
  message: string
  error_code: string
}

/** The client's messages besides audio. */
export type InkControl = { type: 'close' } | { type: 'config'; turn?: object }
