import type { AudioFrame } from '../audio/index.ts'
import type { SpokenChunk } from '../parts/index.ts'
import type { Reply } from './reply.ts'
import type { Preparation, ReplyOptions } from './thinker.ts'
import type { Utterance } from './utterances.ts'

/**
 * What hears, thinks and speaks. There are two: a chain of models (`Chain`), and one model that does it all
 * (`RealtimeMind`). The conversation around it knows whose turn it is, what was heard, and when all is over.
 */
export interface Mind {
  /** The answers in the making. */
  readonly replies: readonly Reply[]
  /** Whether the user has finished, and the model will answer by itself. */
  readonly expecting: boolean
  /** The caller's sound. */
  hear(frame: AudioFrame): void
  /** The user has stopped speaking: make final what has been heard so far. */
  flush(): void
  /** No more sound will come. Returns whether what has been heard is still transcribed. */
  detach(): boolean
  /** Whether the user has finished, from 0 to 1, if somebody can tell. */
  judge(text: string): Promise<number> | undefined
  /** Begins to answer before the turn is sure, if it can. */
  prepare(text: string): Preparation | undefined
  /** Answers a turn that was committed from here: its words, if the mind has not heard them. */
  answer(turn: MindTurn): Reply
  /** Answers the conversation as it stands. */
  reply(options: ReplyOptions): Reply
  /** The sound of given words. What is said of them is told to the utterance, as it is said. */
  sound(text: AsyncIterable<string>, utterance: Utterance, signal: AbortSignal): AsyncIterable<SpokenChunk>
  /** Another agent talks now: with other instructions, and other tools. */
  agentChanged(): void
  /** No new turns, or again new turns: what a model begins by itself is not wanted, or wanted again. */
  takesTurns(wanted: boolean): void
}

export interface MindTurn {
  readonly text: string
  readonly from: 'speech' | 'text'
  readonly prepared?: Preparation | undefined
}
