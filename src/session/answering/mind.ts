import type { AudioFrame, SampleRate } from '../../audio/index.ts'
import type { LlmChunk, Message, PartContext } from '../../parts/index.ts'
import type { Channel, TaskContext, TaskHandle } from '../../scope/index.ts'
import type { CommitCommand } from '../hearing/turn-events.ts'
import type { ActiveReply } from './replies.ts'
import type { ReplyOptions } from './reply.ts'

/**
 * What answers the caller. There are two kinds: `Pipeline` asks an LLM, with a VAD and an STT before it and a TTS after it;
 * `RealtimeMind` is one model that also hears and speaks.
 */
export interface Mind {
  /** Whether the user has finished and the model will answer on its own. */
  readonly isExpecting: boolean
  /** Takes the caller's sound, if the mind hears for itself. */
  readonly ear?: MindEar
  open(part: PartContext): Promise<void>
  /** Begins a reply before the turn has certainly ended, if the mind can. */
  prepare(text: string): Preparation | undefined
  /** Generates a reply: has its words spoken as they arrive, and runs its tools. Resolves when the reply is complete. */
  think(reply: ActiveReply, thought: Thought, task: TaskContext): Promise<void>
  /** The user has added a text without asking for an answer. It is in the history. */
  addText(text: string): void
  /** Another agent has taken over, with other instructions and tools. */
  agentChanged(): void
}

/** What a reply answers. */
export interface Thought {
  /** The conversation as it stands. */
  readonly messages: Message[]
  /** The turn of the user that `messages` end with. Absent if the application requested the reply. */
  readonly turn?: Pick<CommitCommand, 'text' | 'from'>
  readonly options: ReplyOptions
  /** A reply that was begun early for exactly this turn. */
  readonly prepared?: Preparation | undefined
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
