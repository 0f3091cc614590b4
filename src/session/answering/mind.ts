import type { AudioFrame, SampleRate } from '../../audio/index.ts'
import type { LlmChunk, Message, PartContext } from '../../parts/index.ts'
import type { Channel, TaskContext, TaskHandle } from '../../scope/index.ts'
import type { CommitCommand } from '../hearing/turn-events.ts'
import type { ActiveReply } from './replies.ts'
import type { ReplyOptions } from './reply.ts'

/**
 * What answers the caller. There are two: `Pipeline` asks an LLM, with a VAD and an STT before it and a TTS behind it;
 * `RealtimeMind` is one model that also hears and speaks.
 */
export interface Mind {
  /** Whether the user has finished and the model will answer on its own. */
  readonly isExpecting: boolean
  /** Takes the caller's sound, if the mind hears for itself. */
  readonly ear?: MindEar
  open(part: PartContext): Promise<void>
  /** Begins to answer before the turn is certain, if it can. */
  prepare(text: string): Preparation | undefined
  /** Makes a reply: has its words spoken as they come, and runs its tools. Resolves when it has said everything. */
  think(reply: ActiveReply, thought: Thought, task: TaskContext): Promise<void>
  /** Another agent is in charge, with other instructions and tools. */
  agentChanged(): void
}

/** What a reply is to answer. */
export interface Thought {
  /** The conversation as it stands. */
  readonly messages: Message[]
  /** The turn of the user that `messages` end with. Absent if the application asked for the reply. */
  readonly turn?: Pick<CommitCommand, 'text' | 'from'>
  readonly options: ReplyOptions
  /** What was prepared for exactly this turn. */
  readonly prepared?: Preparation | undefined
}

/** Like the stream of an STT: sound in. What is understood of it goes to the turn machine. */
export interface MindEar {
  readonly rate: SampleRate
  push(frame: AudioFrame): void
  flush(): void
  detach(): void
}

/** A reply begun before the user's turn was certain. It leaves no trace until it is used. */
export interface Preparation {
  readonly text: string
  readonly chunks: Channel<LlmChunk>
  readonly task: TaskHandle<unknown>
}
