import type { AudioFrame, HeardMark } from '../audio/index.ts'

/** What is queued for the caller, and what was heard of it. `Outgoing` is what the line can send to a peer. */
export interface Playout<Outgoing> {
  /** Whether waiting sound becomes due as time passes. Unset if it becomes due when the peer reports progress. */
  readonly paced?: boolean
  /** Whether what was heard is inferred from the time, because the peer reports nothing. Default: false. */
  readonly assumed?: boolean
  /** Milliseconds of sound that were neither played nor thrown away. */
  readonly unheard: number
  /** Queues sound. Returns false if too much is queued already. */
  play(frame: AudioFrame, now: number): boolean
  /** Puts a mark behind everything queued so far. */
  mark(id: number): void
  /** Throws away what is queued. Returns what to send, so that the peer does the same. */
  clear(now: number): Outgoing
  /** Returns what to send next, if the peer should have more by now. */
  next(now: number): Outgoing | undefined
  /** Takes back all pending marks, each with what is known to have been heard. */
  giveUp(): readonly HeardMark[]
}
