import { durationOf } from '../../audio/index.ts'
import type { LlmChunk, Usage } from '../../parts/index.ts'
import type { LlmStep } from '../script.ts'
import { soundOf } from '../sound-text.ts'
import type { Ids } from './ids.ts'
import { audioChunks } from './audio-chunks.ts'
import { encodeAudio, rateOf } from './openai-audio.ts'
import type { OpenAIConversation } from './openai-conversation.ts'
import type {
  OpenAICancelReason,
  OpenAIPart,
  OpenAIResponseRequest,
  OpenAIResponseState,
  OpenAIServerEventBody,
} from './openai-events.ts'
import type { OpenAIAssistantMessage, OpenAIItem, OpenAIItemStatus } from './openai-items.ts'
import type { OpenAIRealtimeSettings } from './openai-session-config.ts'
import { usageOf } from './openai-usage.ts'
import type { Timeline, TimelineRun } from './timeline-run.ts'

export interface OpenAIResponseHost {
  readonly settings: OpenAIRealtimeSettings
  /** The conversation that the response belongs to, or a copy for a response out of band. */
  readonly conversation: OpenAIConversation
  /** Whether the response is not part of the session's conversation. */
  readonly outOfBand: boolean
  readonly ids: Ids
  /** Milliseconds before the first output. */
  readonly firstAfter: number
  readonly speed: number
  readonly msPerCharacter: number
  readonly send: (event: OpenAIServerEventBody) => void
  readonly run: (timeline: Timeline) => TimelineRun | undefined
  readonly chunkOf: (
    step: Exclude<LlmStep, { wait: number } | { stall: true } | { fail: unknown }>,
  ) => LlmChunk
  readonly ended: () => void
}

/** One response, from `response.created` to `response.done`. */
export class OpenAIResponse {
  readonly id: string
  readonly #host: OpenAIResponseHost
  readonly #state: OpenAIResponseState
  #run: TimelineRun | undefined
  #message: OpenAIAssistantMessage | undefined
  #usage: Usage | undefined
  /** Milliseconds of audio sent. */
  #duration = 0

  constructor(host: OpenAIResponseHost, request: OpenAIResponseRequest = {}) {
    this.#host = host
    this.id = host.ids.next('resp')
    this.#state = {
      id: this.id,
      object: 'realtime.response',
      // The vendor sends null, although its types do not say so.
      conversation_id: host.outOfBand ? (null as unknown as string) : host.conversation.id,
      status: 'in_progress',
      output: [],
      output_modalities: request.output_modalities ?? host.settings.output_modalities,
      metadata: request.metadata ?? null,
    }
    host.send({ type: 'response.created', response: this.#state })
    host.send({
      type: 'rate_limits.updated',
      rate_limits: [
        { name: 'requests', limit: 1000, remaining: 999, reset_seconds: 60 },
        { name: 'tokens', limit: 50_000, remaining: 45_000, reset_seconds: 60 },
      ],
    })
  }

  get #running(): boolean {
    return this.#state.status === 'in_progress'
  }

  speak(steps: readonly LlmStep[]): void {
    if (this.#running) this.#run = this.#host.run(this.#timeline(steps))
  }

  cancel(reason: OpenAICancelReason): void {
    if (!this.#running) return
    this.#closeMessage('incomplete')
    this.#end({ status: 'cancelled', status_details: { type: 'cancelled', reason } })
  }

  fail(error: unknown): void {
    if (!this.#running) return
    this.#closeMessage('incomplete')
    const message = error instanceof Error ? error.message : String(error)
    const details = { type: 'server_error', code: 'server_error', message }
    this.#end({ status: 'failed', status_details: { type: 'failed', error: details } })
  }

  *#timeline(steps: readonly LlmStep[]): Timeline {
    yield this.#host.firstAfter
    for (const step of steps) {
      if (typeof step === 'object' && 'fail' in step) return this.fail(step.fail)
      if (typeof step === 'object' && 'wait' in step) yield step.wait
      else if (typeof step === 'object' && 'stall' in step) yield Infinity
      else yield* this.#send(this.#host.chunkOf(step))
    }
    this.#closeMessage('completed')
    return this.#end({ status: 'completed' })
  }

  *#send(chunk: LlmChunk): Timeline {
    if (chunk.type === 'text') yield* this.#say(chunk.text, (this.#message ??= this.#openMessage()))
    else if (chunk.type === 'tool-call') this.#call(chunk.id, chunk.name, chunk.input)
    else this.#usage = chunk.usage
  }

  // ── a message ──

  /** Sends the text before its audio, since the vendor's transcripts run ahead. */
  *#say(text: string, { id, content }: OpenAIAssistantMessage): Timeline {
    const { send, conversation, settings, msPerCharacter, speed } = this.#host
    const place = { ...this.#place(id), content_index: 0 }
    const part = content[0]!
    if (part.type === 'output_text') {
      part.text += text
      send({ type: 'response.output_text.delta', ...place, delta: text })
    } else {
      part.transcript += text
      send({ type: 'response.output_audio_transcript.delta', ...place, delta: text })
      const { format } = settings.audio.output
      for (const frame of audioChunks(soundOf(text, rateOf(format), msPerCharacter))) {
        const duration = durationOf(frame)
        conversation.addAudio(id, duration)
        this.#duration += duration
        send({ type: 'response.output_audio.delta', ...place, delta: encodeAudio(format, frame.samples) })
        if (speed < Infinity) yield duration / speed
      }
    }
  }

  #openMessage(): OpenAIAssistantMessage {
    const spoken = this.#state.output_modalities.includes('audio')
    const message: OpenAIAssistantMessage = {
      id: this.#host.ids.next('item'),
      object: 'realtime.item',
      type: 'message',
      role: 'assistant',
      status: 'in_progress',
      content: [],
    }
    this.#openItem(message)
    message.content.push(
      spoken ? { type: 'output_audio', transcript: '' } : { type: 'output_text', text: '' },
    )
    const part = partOf(message)
    const place = this.#place(message.id)
    this.#host.send({ type: 'response.content_part.added', ...place, content_index: 0, part })
    return message
  }

  #closeMessage(status: OpenAIItemStatus): void {
    const message = this.#message
    if (!message) return
    this.#message = undefined
    const { send } = this.#host
    const place = { ...this.#place(message.id), content_index: 0 }
    const part = partOf(message)
    if (part.type === 'text') send({ type: 'response.output_text.done', ...place, text: part.text })
    else {
      const { transcript } = part
      send({ type: 'response.output_audio.done', ...place })
      send({ type: 'response.output_audio_transcript.done', ...place, transcript })
    }
    send({ type: 'response.content_part.done', ...place, part })
    this.#closeItem(message, status)
  }

  // ── a function call ──

  #call(call_id: string, name: string, input: string): void {
    this.#closeMessage('completed')
    const { send, ids } = this.#host
    const item: OpenAIItem = {
      id: ids.next('item'),
      object: 'realtime.item',
      type: 'function_call',
      status: 'in_progress',
      call_id,
      name,
      arguments: '',
    }
    this.#openItem(item)
    const place = { ...this.#place(item.id), call_id }
    item.arguments = input
    send({ type: 'response.function_call_arguments.delta', ...place, delta: input })
    send({ type: 'response.function_call_arguments.done', ...place, name, arguments: input })
    this.#closeItem(item, 'completed')
  }

  // ── items and the end ──

  #place(item_id: string): { response_id: string; output_index: number; item_id: string } {
    const output_index = this.#state.output.findIndex(({ id }) => id === item_id)
    return { response_id: this.id, output_index, item_id }
  }

  #openItem(item: OpenAIItem): void {
    const { send, conversation } = this.#host
    this.#state.output.push(item)
    const { response_id, output_index } = this.#place(item.id)
    send({ type: 'response.output_item.added', response_id, output_index, item })
    const previous_item_id = conversation.add(item)
    if (!this.#host.outOfBand) send({ type: 'conversation.item.added', item, previous_item_id })
  }

  #closeItem(item: OpenAIItem, status: OpenAIItemStatus): void {
    const { send, conversation } = this.#host
    item.status = status
    const { response_id, output_index } = this.#place(item.id)
    const previous_item_id = conversation.before(item.id)
    if (!this.#host.outOfBand) send({ type: 'conversation.item.done', item, previous_item_id })
    send({ type: 'response.output_item.done', response_id, output_index, item })
  }

  #end(how: Pick<OpenAIResponseState, 'status' | 'status_details'>): void {
    this.#run?.stop()
    const { conversation, send, ended } = this.#host
    const usage = usageOf(conversation, this.#state.output, this.#duration, this.#usage)
    Object.assign(this.#state, how, { usage })
    send({ type: 'response.done', response: this.#state })
    ended()
  }
}

function partOf({ content: [part] }: OpenAIAssistantMessage): OpenAIPart {
  return part?.type === 'output_audio'
    ? { type: 'audio', transcript: part.transcript }
    : { type: 'text', text: part?.text ?? '' }
}
