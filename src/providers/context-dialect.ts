import type { EndClass, Protocol } from '../link/index.ts'
import type { SpokenWord } from '../parts/index.ts'
import type { SocketEnd } from '../scope/index.ts'
import type { Check } from './vendor-message.ts'

/**
 * A vendor's messages for speeches that share one WebSocket. Each speech has a context with an id, which every message
 * about it repeats. `ContextVoice` is the rest of the provider.
 */
export interface ContextDialect<Message> {
  readonly request: Protocol['request']
  /** Once all text is sent: the longest gap between two messages before the speech fails, in milliseconds. */
  readonly stallTimeout: number
  /** The contexts that the vendor keeps open at once; a speech waits for a free one. Default: any number. */
  readonly maxContexts?: number
  /** Whether the vendor says in a message that a connection is ready. Default: a connection is ready once it is open. */
  readonly announcesReady?: boolean
  readonly check: Check<Message>
  /** Divides text into the pieces that the vendor wants. Default: as it arrives. */
  pieces?(text: AsyncIterable<string>): AsyncIterable<string>
  /** The message that must precede the first text of a context. Default: none. */
  start?(context: string): string | undefined
  text(context: string, text: string): string
  /** The messages after all text has been sent. The vendor answers with the rest of the audio and `done`. */
  end(context: string): readonly string[]
  /** The messages that say that the audio is not wanted any more, before or after `end`. The vendor answers with `done`. */
  cancel(context: string, ended: boolean): readonly string[]
  read(message: Message): ContextMessage
  /**
   * The context of audio in binary frames, for a vendor whose messages name no context: it has only one. Default: there are
   * no binary frames.
   */
  binary?(): string | undefined
  /** Like `Protocol.classify`. An idle end counts as a drop while a speech is in progress. */
  classify(end: SocketEnd): EndClass | undefined
}

/** A vendor's message in a common form. */
export interface ContextMessage {
  /** The connection is ready: see `announcesReady`. */
  readonly ready?: boolean | undefined
  /** Default: the message belongs to no context. */
  readonly context?: string | undefined
  /** Samples, in base64 or as bytes. */
  readonly audio?: string | Uint8Array | undefined
  /** Words with times from the start of the context, unless they restart: see `timesRestart`. */
  readonly words?: readonly SpokenWord[] | undefined
  /** The characters of the text, if the vendor reports those instead of words. */
  readonly characters?: readonly TimedCharacter[] | undefined
  /** The times of later words count from the end of the audio so far. */
  readonly timesRestart?: boolean | undefined
  /** The text sent so far has been spoken, and the vendor has closed the context. */
  readonly done?: boolean | undefined
  readonly error?: { readonly message?: string | undefined; readonly status?: number | undefined } | undefined
  /** The vendor announces that it closes the connection. */
  readonly ends?: Exclude<EndClass, 'asked'> | undefined
}

/** Times are in milliseconds, from the start of the context or of the message's audio. */
export interface TimedCharacter {
  readonly text: string
  readonly start: number
  readonly end: number
}
