import type { Line } from '../../src/parts/index.ts'
import type { Clock, Random, Scope } from '../../src/scope/index.ts'

/** A client that has called, and what can happen to it. */
export interface LineClient {
  types(text: string): void
  /** Disconnects. */
  leaves(): void
  closesTab(): void
  /** Asks the agent to leave. */
  dismissesAgent(): void
  /** Its connection breaks. */
  isCut(): void
  /** Its network goes silent: nothing arrives any more, in either direction. */
  vanishes(): void
  /** The thread of the server that has its connection is ended, if it has one. */
  losesThread?(): void
  /** Whether it has played any sound. */
  readonly hears: boolean
  /** Whether it is no longer connected. */
  readonly isGone: boolean
  /** What it has shown to its user as the reason for the end. */
  readonly farewell: string | undefined
  until(met: () => boolean): Promise<void>
}

/** A server with one line that takes one call at a time, the network to it, and its clients. */
export interface LineStage {
  readonly clock: Clock
  readonly random: Random
  /** Owns the calls. */
  readonly scope: Scope<string>
  /** How many calls there are. */
  readonly size: number
  /** The ways to end a call that the server can only notice because it hears nothing any more. */
  readonly silentWays: readonly string[]
  /** Timers that are pending, if the clock is the stage's own. */
  readonly timers: readonly string[]
  /** Calls. A client that is not `ready` connects, and never says that it is ready. */
  call(ready: boolean): Promise<LineClient>
  /** Tries to call in every way that must be refused while there is a call. Returns what was not refused. */
  refusals(): Promise<readonly string[]>
  /** How many connections the server still has, at the end of the network that is not ours. Waits a moment until there is none. */
  connections(): Promise<number>
  end(): Promise<void>
}

/** Opens a stage. `onCall` answers its calls. */
export type OpenStage = (onCall: (line: Line) => unknown) => Promise<LineStage>
