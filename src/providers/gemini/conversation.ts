import type { RealtimeEvents, RealtimeSetup, Usage } from '../../parts/index.ts'
import { parseObject } from '../parse-object.ts'
import { runningCalls } from '../running-calls.ts'
import { Memory } from './memory.ts'
import type { FunctionCall, ServerContent, ServerMessage, UsageMetadata } from './messages.ts'
import { Turns, type TurnsHost } from './turns.ts'
import { UserSpeech } from '../user-speech.ts'

export type ConversationHost = Pick<
  TurnsHost,
  'name' | 'asyncTools' | 'scope' | 'stallTimeout' | 'events' | 'send' | 'canSend'
> & {
  /** Called when the conversation may have become quiet without a message from the service. */
  fellSilent(): void
}

/** The conversation, which outlives its connections. */
export class Conversation {
  readonly memory: Memory
  readonly turns: Turns
  readonly #user: UserSpeech
  readonly #events: RealtimeEvents
  #listening = false

  constructor(host: ConversationHost, { messages, takesTurns }: RealtimeSetup) {
    const { scope, events } = host
    this.#events = events
    const running = runningCalls(messages)
    const ids = new Set(running.map(({ id }) => id))
    this.memory = new Memory(messages.filter((each) => !('id' in each && ids.has(each.id))))
    this.#user = new UserSpeech({
      scope,
      takesTurns,
      events,
      finalText: (text) => this.memory.addUserText(text),
      fellSilent: () => {
        this.turns.sendNext()
        host.fellSilent()
      },
    })
    const turnsHost: TurnsHost = {
      ...host,
      userIsSilent: () => !this.#user.pending,
      answerStarted: (unprompted) => this.#answerStarted(unprompted),
      remember: (contents) => this.memory.add(...contents),
      modelText: (text) => this.memory.addModelText(text),
    }
    const orphans = running.map(({ id, name, input }) => ({ id, name, args: parseObject(input) }))
    this.turns = new Turns(turnsHost, orphans)
  }

  /** Whether neither the user nor the model is speaking. */
  get quiet(): boolean {
    return !this.#user.pending && this.turns.quiet
  }

  /** With manual turns: whether the user's turn has started and is not committed. */
  get listening(): boolean {
    return this.#listening
  }

  startListening(): void {
    this.#listening = true
  }

  /** Ends the user's turn, which the service will answer. */
  commit(): void {
    this.#listening = false
    this.turns.committed()
    this.#user.stopped()
  }

  /** The connection was lost. */
  lost(error: unknown): void {
    this.#listening = false
    this.#user.finish()
    this.turns.lost(error)
  }

  /** Clears all timers. */
  release(): void {
    this.#user.release()
    this.turns.release()
  }

  handle({
    serverContent,
    toolCall,
    toolCallCancellation,
    voiceActivity,
    usageMetadata,
  }: ServerMessage): void {
    if (serverContent) this.#content(serverContent)
    const calls = toolCall?.functionCalls?.flatMap(callOf) ?? []
    if (calls.length > 0) this.turns.call(calls)
    if (toolCallCancellation?.ids) this.turns.cancel(toolCallCancellation.ids)
    if (voiceActivity?.voiceActivityType === 'ACTIVITY_START') this.#user.started()
    if (voiceActivity?.voiceActivityType === 'ACTIVITY_END') this.#user.stopped()
    if (usageMetadata) this.#events.usage(usageOf(usageMetadata))
  }

  /** While closing, only the user's last words matter. */
  handleWhileClosing({ serverContent = {} }: ServerMessage): void {
    const { inputTranscription, outputTranscription, modelTurn, turnComplete } = serverContent
    if (inputTranscription?.text) this.#user.addText(inputTranscription.text, false)
    if (outputTranscription || modelTurn || turnComplete) this.#user.finish()
  }

  /** One message may have several fields. */
  #content(content: ServerContent): void {
    const { inputTranscription, outputTranscription, modelTurn } = content
    if (content.interrupted) this.#interrupted()
    if (inputTranscription?.text)
      this.#user.addText(inputTranscription.text, this.turns.answering && !this.#listening)
    if (outputTranscription?.text) this.turns.text(outputTranscription.text)
    for (const { inlineData } of modelTurn?.parts ?? [])
      if (inlineData?.data) this.turns.audio(inlineData.data)
    if (content.generationComplete) this.turns.generated()
    if (content.turnComplete) this.turns.completed(failureIn(content.turnCompleteReason))
    if (content.generationComplete || content.turnComplete) this.#user.answerGenerated()
  }

  /** The user's voice interrupted the model, unless `Turns` did. */
  #interrupted(): void {
    const byUser = this.turns.answering
    this.turns.interrupted()
    if (byUser) this.#user.started()
  }

  #answerStarted(unprompted: boolean): void {
    // An unprompted answer is for the user, whose transcript may not have arrived yet.
    if (unprompted && !this.#user.pending && !this.memory.awaitsAnswer) this.#user.started()
    this.#user.answerStarted()
    this.memory.answerStarted()
  }
}

/** Describes a `turnCompleteReason` that stands for a failure; undefined for the others. */
function failureIn(reason: string | undefined): string | undefined {
  const fine = new Set(['TURN_COMPLETE_REASON_UNSPECIFIED', 'NEED_MORE_INPUT'])
  return reason === undefined || fine.has(reason) ? undefined : `it gave no answer (${reason})`
}

/** Ignores a call without an id or a name: it could not be run or answered. */
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
