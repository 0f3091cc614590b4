import type { AudioFrame, SampleRate } from '../audio/index.ts'
import type { Message, ToolDescription, Usage } from './message.ts'
import type { PartContext } from './part.ts'

/** A model that hears and speaks by itself: it replaces VAD, STT, LLM and TTS. */
export interface Realtime {
  readonly name: string
  /** The rate at which it wants to hear. */
  readonly inputRate: SampleRate
  /** The rate at which it speaks. */
  readonly outputRate: SampleRate
  open(context: PartContext, setup: RealtimeSetup, events: RealtimeEvents): Promise<RealtimeModel>
}

export interface RealtimeSetup {
  readonly instructions: string
  readonly tools: readonly ToolDescription[]
  /** What was said before: a resumed conversation, or another agent's. */
  readonly messages: readonly Message[]
  /** True if the model decides when the user has finished; else `commit` does. */
  readonly takesTurns: boolean
}

/** What the model tells. Synchronous; in order. After `failed` nothing more comes. */
export interface RealtimeEvents {
  userStarted(): void
  userStopped(): void
  /** The user's words so far in this turn; each replaces the one before. */
  userInterim(text: string): void
  userFinal(text: string): void
  /**
   * An answer begins. `response` names it in all that follows. `asked` if it is the answer to the oldest `respond()` that
   * has none; else the model begins it by itself.
   */
  responseStarted(response: string, asked: boolean): void
  audio(response: string, frame: AudioFrame): void
  /** The next words of the answer's transcript. They may run ahead of the sound. */
  text(response: string, text: string): void
  toolCall(
    response: string,
    call: { readonly id: string; readonly name: string; readonly input: string },
  ): void
  /** The model does not want the result any more. */
  toolCancelled(id: string): void
  /** Nothing more comes of this answer. */
  responseEnded(response: string, how: 'completed' | 'cancelled' | 'failed', error?: unknown): void
  usage(usage: Usage): void
  /** The model is gone for good. Reconnects have been tried by then. */
  failed(error: unknown): void
}

export interface RealtimeModel {
  /** Never waits and never throws; what cannot be sent is dropped. */
  push(frame: AudioFrame): void
  /** The user has finished (manual turns). Does not ask for an answer. */
  commit(): void
  /**
   * Asks for an answer, with extra instructions for this one if given: now, or as soon as the one in the making is over.
   * Each ask is answered by one `responseStarted`, also if it fails.
   */
  respond(instructions?: string): void
  /** Adds a message of the user without audio. Does not ask for an answer. */
  addText(text: string): void
  /** Gives a tool's result. Does not ask for an answer. */
  toolResult(id: string, output: string, failed: boolean): void
  /** Stops an answer if it is in the making, and forgets what was not heard: `heard` milliseconds of it were. */
  interrupt(response: string, heard: number): void
  /** Another agent takes over: new instructions and tools, the same conversation. */
  update(setup: Pick<RealtimeSetup, 'instructions' | 'tools'>): void
}
