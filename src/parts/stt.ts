import type { AudioFormat, AudioFrame } from '../audio/index.ts'
import type { PartUsage } from './message.ts'
import type { PartContext } from './part.ts'

/** Speech to text. */
export interface Stt {
  readonly name: string
  /** What price lists call it: `deepgram/nova-3`. */
  readonly product?: string | undefined
  /** Every format it can take. The session chooses the nearest to the line's: see `nearestFormat`. */
  readonly hears: readonly AudioFormat[]
  /** Whether it detects ends of turns and calls `endOfTurn`. Default: false. */
  readonly endsTurns?: boolean
  open(context: PartContext, events: SttEvents, setup: SttSetup): Promise<SttStream>
}

export interface SttSetup {
  /** The format of the audio that follows, one of `hears`. `bytesOf(frame, format)` are the bytes to send. */
  readonly format: AudioFormat
  /** Names and words to expect, of the agent in charge. */
  readonly keyTerms: readonly string[]
}

/** Callbacks of a stream, called synchronously and in order. None is called after `failed`. */
export interface SttEvents {
  /** The user has begun to speak. For an STT that notices it before there are words. */
  started(): void
  /** A preliminary transcript of everything since the last final text. Replaces the previous one. */
  interim(text: string): void
  /** The next words of the user, which will not change. Replaces the interim text. */
  final(text: string, details?: TranscriptDetails): void
  /** The user may have finished, with the text so far. Followed by `resumed` or `endOfTurn`. */
  maybeEndOfTurn(): void
  /** The user goes on: the last `maybeEndOfTurn` was wrong. */
  resumed(): void
  /** The user seems to have finished. */
  endOfTurn(): void
  /** What the vendor charges for, since the last call. */
  usage(usage: PartUsage): void
  /** The stream has failed for good, after all retries and reconnects. */
  failed(error: unknown): void
}

/** What an STT knows about a final text. Fields that it does not know are absent. */
export interface TranscriptDetails {
  readonly words?: readonly TranscribedWord[]
  /** BCP 47: `en`, `de-CH`. */
  readonly language?: string
  /** Tells the speakers of one stream apart. */
  readonly speaker?: string
  /** From 0 to 1. */
  readonly confidence?: number
}

export interface TranscribedWord {
  readonly text: string
  /** Milliseconds since the start of the stream. */
  readonly start: number
  readonly end: number
  /** From 0 to 1. */
  readonly confidence?: number
}

export interface SttStream {
  /** Never waits and never throws. Audio that cannot be sent is dropped. */
  push(frame: AudioFrame): void
  /** The user has stopped speaking: requests a final transcript of the audio so far. */
  flush(): void
  /** Another agent is in charge. Takes effect as soon as the vendor can change it. Never throws. */
  configure(setup: Pick<SttSetup, 'keyTerms'>): void
  /** No more audio follows. The audio so far is still transcribed. */
  detach(): void
}
