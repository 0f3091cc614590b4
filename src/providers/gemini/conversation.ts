import { samplesFromBytes } from '../../audio/index.ts'
import type { RealtimeEvents, RealtimeSetup, Usage } from '../../parts/index.ts'
import { troubleIn } from './ends.ts'
import { Memory } from './memory.ts'
import type { FunctionCall, ServerContent, ServerMessage, UsageMetadata } from './messages.ts'
import { Turns, type TurnsHost } from './turns.ts'
import { UserSpeech } from './user-speech.ts'

export type ConversationHost = Pick<
  TurnsHost,
  'name' | 'scope' | 'stallTimeout' | 'events' | 'send' | 'open'
> & {
  /** It may have become quiet. */
  settled(): void
}

/** Who says what, over whichever connection. */
export class Conversation {
  readonly memory: Memory
  readonly turns: Turns
  readonly #user: UserSpeech
  readonly #events: RealtimeEvents
  #listening = false

  constructor(host: ConversationHost, { messages, takesTurns }: RealtimeSetup) {
    const { scope, events } = host
    this.#events = events
    this.memory = new Memory(messages)
    this.#user = new UserSpeech({
      scope,
      takesTurns,
      events,
      said: (words) => this.memory.userSaid(words),
      settled: () => {
        this.turns.next()
        host.settled()
      },
    })
    this.turns = new Turns({
      ...host,
      calm: () => !this.#user.open,
      begins: (unasked) => this.#begins(unasked),
      remember: (contents) => this.memory.add(...contents),
      said: (words) => this.memory.modelSaid(words),
    })
  }

  /** Nobody speaks, and the service has nothing to do. */
  get quiet(): boolean {
    return !this.#user.open && this.turns.quiet
  }

  /** Turns by hand: the user's has begun, and is not committed. */
  get listening(): boolean {
    return this.#listening
  }

  /** The user's turn begins. */
  listen(): void {
    this.#listening = true
  }

  /** The user's turn is over: the service will answer. */
  commit(): void {
    this.#listening = false
    this.turns.committed()
    this.#user.stopped()
  }

  /** The connection is gone. */
  lost(error: unknown): void {
    this.#listening = false
    this.#user.over()
    this.turns.lost(error)
  }

  /** There will be no other: nothing is told any more. */
  release(): void {
    this.#user.release()
    this.turns.release()
  }

  hear({ serverContent, toolCall, toolCallCancellation, voiceActivity, usageMetadata }: ServerMessage): void {
    if (serverContent) this.#content(serverContent)
    const calls = toolCall?.functionCalls?.flatMap(callOf) ?? []
    if (calls.length > 0) this.turns.call(calls)
    if (toolCallCancellation?.ids) this.turns.cancel(toolCallCancellation.ids)
    if (voiceActivity?.voiceActivityType === 'ACTIVITY_START') this.#user.started()
    if (voiceActivity?.voiceActivityType === 'ACTIVITY_END') this.#user.stopped()
    if (usageMetadata) this.#events.usage(usageOf(usageMetadata))
  }

  /** Closing: of all that comes, only the user's last words are of interest. */
  hearLast({ serverContent = {} }: ServerMessage): void {
    const { inputTranscription, outputTranscription, modelTurn, turnComplete } = serverContent
    if (inputTranscription?.text) this.#user.hears(inputTranscription.text, false)
    if (outputTranscription || modelTurn || turnComplete) this.#user.over()
  }

  /** One message may have several of these. */
  #content(content: ServerContent): void {
    const { inputTranscription, outputTranscription, modelTurn } = content
    if (content.interrupted) this.#interrupted()
    if (inputTranscription?.text)
      this.#user.hears(inputTranscription.text, this.turns.answering && !this.#listening)
    if (outputTranscription?.text) this.turns.text(outputTranscription.text)
    for (const { inlineData } of modelTurn?.parts ?? [])
      if (inlineData?.data) this.turns.audio(samplesFromBytes(Buffer.from(inlineData.data, 'base64')))
    if (content.generationComplete) this.turns.generated()
    if (content.turnComplete) this.turns.completed(troubleIn(content.turnCompleteReason))
    if (content.generationComplete || content.turnComplete) this.#user.written()
  }

  /** By the user's voice, unless it was told to. */
  #interrupted(): void {
    const byUser = this.turns.answering
    this.turns.interrupted()
    if (byUser) this.#user.started()
  }

  #begins(unasked: boolean): void {
    // Nobody asked for it: so it answers the user, whose words may not have come yet.
    if (unasked && !this.#user.open && !this.memory.owes) this.#user.started()
    this.#user.answered()
    this.memory.answered()
  }
}

/** One without a name, in either sense, could be neither made nor answered. */
function callOf({ id, name, args = {} }: Partial<FunctionCall>): FunctionCall[] {
  return id === undefined || name === undefined ? [] : [{ id, name, args }]
}

function usageOf(usage: UsageMetadata): Usage {
  const { promptTokenCount: prompt, cachedContentTokenCount: cachedTokens } = usage
  const { responseTokenCount: response, thoughtsTokenCount: thoughts = 0 } = usage
  return {
    ...(prompt === undefined ? {} : { inputTokens: prompt + (usage.toolUsePromptTokenCount ?? 0) }),
    ...(response === undefined ? {} : { outputTokens: response + thoughts }),
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
  }
}
