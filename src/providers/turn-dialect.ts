import type { EndClass, Protocol, Rollover } from '../link/index.ts'
import type { SttSetup, TranscriptDetails } from '../parts/index.ts'
import type { SocketEnd } from '../scope/index.ts'
import type { Check } from './vendor-message.ts'

/**
 * The messages of a vendor that decides itself when the caller has finished. `TurnStream` is the rest of the provider.
 * Transcripts are cumulative: each one is the text of the whole turn so far.
 */
export interface TurnDialect<Message> {
  /** Called for each dial, with the setup as it is at that time. */
  request(setup: SttSetup): ReturnType<Protocol['request']>
  readonly check: Check<Message>
  /** Creates the reader of one connection, which may remember what it has read. */
  reader(): (message: Message) => TurnMessage
  /** Milliseconds of audio per message. */
  readonly chunk: number
  /** The message with this audio. Default: the bytes. */
  audio?(bytes: Uint8Array): string
  /** Asks the vendor to end the turn. Default: the vendor cannot be asked. */
  readonly flush?: string
  /** The message that changes the setup of an open connection. Default: changes wait for the next connection. */
  configure?(setup: SttSetup): string
  /** Whether the vendor answers `configure`, and accepts the next change only then. Default: false. */
  readonly confirmsSetup?: boolean
  /** The message after which the vendor sends its last words. */
  readonly end: string
  /** Whether the vendor has no last message: then it answers `end` with the end of a turn, or with an error. Default: false. */
  readonly endsWithTurn?: boolean
  /** Like `Protocol.classify`. */
  classify?(end: SocketEnd): EndClass | undefined
  readonly rollover?: Rollover
}

/** A vendor's message in a common form. `turn` is the number of the turn, if the vendor counts them. */
export type TurnMessage =
  /** The connection is set up. */
  | { readonly type: 'ready' }
  | { readonly type: 'started' | 'resumed'; readonly turn?: number | undefined }
  | { readonly type: 'interim' | 'maybe-ended'; readonly turn?: number | undefined; readonly text: string }
  | {
      readonly type: 'ended'
      readonly turn?: number | undefined
      readonly text: string
      /** Times of words count from the start of the connection's audio. */
      readonly details?: TranscriptDetails
    }
  | { readonly type: 'configured' }
  /** The last message after `end`. */
  | { readonly type: 'terminated' }
  | {
      readonly type: 'error'
      readonly message: string | undefined
      /** The vendor closes the connection. Default: the error concerns one message only. */
      readonly ends?: Exclude<EndClass, 'asked'> | undefined
    }
  | { readonly type: 'ignored' }
