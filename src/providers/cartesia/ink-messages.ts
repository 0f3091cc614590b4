import { checkByType } from '../vendor-message.ts'

/** The messages that are read; all others are ignored. */
export type InkMessage = InkConnected | InkTurn | InkError

export interface InkConnected {
  readonly type: 'connected'
}

const turn = { transcript: 'string' } as const

export const checkInk = checkByType<InkMessage>({
  connected: {},
  'turn.start': turn,
  'turn.update': turn,
  'turn.eager_end': turn,
  'turn.resume': turn,
  'turn.end': turn,
  error: { title: 'string', message: 'string' },
})

export interface InkTurn {
  readonly type: 'turn.start' | 'turn.update' | 'turn.eager_end' | 'turn.resume' | 'turn.end'
  /** The text of the whole turn so far. */
  readonly transcript?: string | undefined
}

/** It may be about one message only: the connection stays open unless the service closes it. */
export interface InkError {
  readonly type: 'error'
  readonly title?: string | undefined
  readonly message?: string | undefined
}

/** The message that is sent. */
export interface InkClose {
  type: 'close'
}
