import type { AudioFrame, SampleRate } from '../../audio/index.ts'
import type { LlmChunk, Message, PartContext } from '../../parts/index.ts'
import type { Channel, TaskHandle } from '../../scope/index.ts'
import type { CommitCommand } from '../hearing/turn-events.ts'
import type { Reply, ReplyOptions } from './reply.ts'

/**
 * What answers the caller. There are two kinds: `Pipeline` asks an LLM, with a VAD and an STT before it and a TTS after it;
 * `RealtimeMind` is one model that also hears and speaks.
 */
export interface Mind {
  /** The replies in progress. */
  readonly replies: readonly Reply[]
  /** Whether the user has finished and the model will answer on its own. */
  readonly isExpecting: boolean
  /** Takes the caller's sound, if the mind hears for itself. */
  readonly ear?: MindEar
  open(part: PartContext): Promise<void>
  /** Begins a reply before the turn has certainly ended, if the mind can. */
  prepare(text: string): Preparation | undefined
  /** Answers a turn that the turn machine committed. `messages` end with it. */
  answer(turn: Pick<CommitCommand, 'text' | 'from'>, messages: Message[], prepared?: Preparation): Reply
  /** Answers the conversation as it stands. */
  reply(options: ReplyOptions, messages: Message[]): Reply
  /** Another agent has taken over, with other instructions and tools. */
  agentChanged(): void
}

/** Like the stream of an STT: takes sound. The transcript goes to the turn machine. */
export interface MindEar {
  readonly rate: SampleRate
  push(frame: AudioFrame): void
  flush(): void
  detach(): void
}

/** A reply begun before the user's turn had certainly ended. It has no effect until it is used. */
export interface Preparation {
  readonly text: string
  readonly chunks: Channel<LlmChunk>
  readonly task: TaskHandle<unknown>
}
