import type { AudioFormat, AudioFrame } from '../audio/index.ts'
import type { Message, PartUsage, ToolDescription } from './message.ts'
import type { PartContext } from './part.ts'

/** A speech-to-speech model. Replaces VAD, STT, LLM and TTS. */
export interface Realtime {
  readonly name: string
  /** What price lists call it: `openai/gpt-realtime-2.1`. */
  readonly product?: string | undefined
  /** Every format it can take. */
  readonly hears: readonly AudioFormat[]
  /** Every format it can make. */
  readonly speaks: readonly AudioFormat[]
  /** Whether it can answer in text, for a TTS to speak. Default: false. */
  readonly writes?: boolean
  open(context: PartContext, setup: RealtimeSetup, events: RealtimeEvents): Promise<RealtimeModel>
}

export interface RealtimeSetup {
  /** The format of the audio that follows, one of the model's `hears`. */
  readonly hears: AudioFormat
  /** The format of the audio to make, one of the model's `speaks`. Undefined to answer in text: `audio` is not called. */
  readonly speaks: AudioFormat | undefined
  readonly instructions: string
  readonly tools: readonly ToolDescription[]
  /**
   * The conversation so far: a resumed one, or another model's. A tool call without a result is still running, and its
   * result follows by `toolResult`.
   */
  readonly messages: readonly Message[]
  /** Returns the conversation as it stands now. With it, a fallback opens the next model. Default: `messages`. */
  readonly conversation?: () => readonly Message[]
  /** Whether the model detects ends of turns. If not, `commit` ends them. */
  readonly takesTurns: boolean
}

/** Callbacks of the model, called synchronously and in order. None is called after `failed`. */
export interface RealtimeEvents {
  userStarted(): void
  userStopped(): void
  /** A preliminary transcript of the user's turn. Replaces the previous one. */
  userInterim(text: string): void
  userFinal(text: string): void
  /**
   * An answer starts. `response` identifies it in later callbacks. `asked` is true if it answers the oldest unanswered
   * `respond()`, and false if the model started it on its own.
   */
  responseStarted(response: string, asked: boolean): void
  audio(response: string, frame: AudioFrame): void
  /** The next words of the answer's transcript. They may run ahead of the audio. */
  text(response: string, text: string): void
  toolCall(
    response: string,
    call: { readonly id: string; readonly name: string; readonly input: string },
  ): void
  /** The model no longer needs the result. */
  toolCancelled(id: string): void
  /** The answer has ended. No further callback refers to it. */
  responseEnded(response: string, how: 'completed' | 'cancelled' | 'failed', error?: unknown): void
  usage(usage: PartUsage): void
  /** The model has failed for good, after all reconnects. */
  failed(error: unknown): void
}

export interface RealtimeModel {
  /** Never waits and never throws. Audio that cannot be sent is dropped. */
  push(frame: AudioFrame): void
  /** Ends the user's turn, if the model does not detect it. Does not request an answer. */
  commit(): void
  /**
   * Requests an answer, with extra instructions for this answer only: now, or as soon as the current answer has ended.
   * Each request leads to one `responseStarted`, even if it fails.
   */
  respond(instructions?: string): void
  /**
   * Like `respond`, but the answer is exactly these words. Default: `respond` is called with instructions to say them,
   * which a model may follow only roughly.
   */
  say?(words: string): void
  /** Adds a text message of the user. Does not request an answer. */
  addText(text: string): void
  /** Passes a tool's result to the model. Does not request an answer. */
  toolResult(id: string, output: string, failed: boolean): void
  /** Stops an answer if it is still being generated. The model forgets all but the first `heard` milliseconds of it. */
  interrupt(response: string, heard: number): void
  /** Switches to another agent: new instructions and tools, the same conversation. */
  update(setup: Pick<RealtimeSetup, 'instructions' | 'tools'>): void
}

/** Instructions to say these words, for a model without `say`. */
export function sayExactly(words: string): string {
  return `Say exactly these words, and nothing else: ${JSON.stringify(words)}`
}
