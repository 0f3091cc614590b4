import type { AudioFrame, SampleRate } from '../audio/index.ts'
import type { PartContext } from './part.ts'

/** The way to the caller. */
export interface Line {
  readonly name: string
  /** The rate of the frames it brings, and of those it plays. */
  readonly sampleRate: SampleRate
  /**
   * Answers. The scope owns what is opened; closing it hangs up: the resource's `closing()` silences at once, its
   * `close()` ends the call as the line's protocol wants, its `abort()` cuts it.
   */
  open(context: PartContext, events: LineEvents): Promise<LineConnection>
}

/** What a line tells. Synchronous; in order. After `hungUp` or `lost` nothing more comes. */
export interface LineEvents {
  /** The caller's sound. */
  frame(frame: AudioFrame): void
  /**
   * All sound that was played before `mark(id)` has been heard; or, after `clear()`, has stopped. `heard` is the part of
   * it, in milliseconds since the mark before, that really reached the caller: absent if the line cannot know.
   */
  marked(id: number, heard?: number): void
  /** A key of the telephone: 0–9, *, #, A–D. */
  dtmf(digit: string): void
  /** The caller typed instead of speaking. */
  text(text: string): void
  /** The caller hung up. */
  hungUp(): void
  /** The line is gone without a word. */
  lost(error?: unknown): void
}

export interface LineConnection {
  /** Queues sound behind what is queued already. Never waits and never throws. */
  play(frame: AudioFrame): void
  /** Asks to be told, by `marked(id)`, when everything queued so far has been heard. */
  mark(id: number): void
  /**
   * Throws away what is queued. Synchronous. A line whose sound goes on for a while (an avatar) tells the truth by the
   * time at which it returns the pending marks.
   */
  clear(): void
}
