import { bytesFromSamples, durationOf } from '../../audio/index.ts'
import type { LlmChunk, Usage } from '../../parts/index.ts'
import type { LlmStep } from '../script.ts'
import { soundOf } from '../sound-text.ts'
import type {
  GeminiContent,
  GeminiFunctionResponse,
  GeminiServerContent,
  GeminiServerMessage,
} from './gemini-messages.ts'
import { audioChunks } from './audio-chunks.ts'
import type { Timeline, TimelineRun } from './timeline-run.ts'

/** The sample rate of the model's audio. */
const RATE = 24_000

export interface GeminiAnswerHost {
  /** Whether the turn goes on after a call only with its result. */
  readonly waitsForTools: boolean
  readonly spoken: boolean
  readonly transcribed: boolean
  /** Milliseconds before the first output. */
  readonly firstAfter: number
  readonly speed: number
  readonly msPerCharacter: number
  readonly now: () => number
  readonly send: (message: GeminiServerMessage) => void
  readonly run: (timeline: Timeline) => TimelineRun | undefined
  readonly chunkOf: (
    step: Exclude<LlmStep, { wait: number } | { stall: true } | { fail: unknown }>,
  ) => LlmChunk
  /** Adds to the conversation. */
  readonly remember: (content: GeminiContent) => void
  /** All calls have their results: continues the answer with more steps. */
  readonly continueWith: (results: readonly GeminiFunctionResponse[]) => void
  readonly failed: (error: unknown) => void
  /** The turn is complete. */
  readonly ended: () => void
}

/** One turn of the model, including its tool calls, from the first output to `turnComplete`. */
export class GeminiAnswer {
  readonly #host: GeminiAnswerHost
  #run: TimelineRun | undefined
  #ended = false
  #generating = false
  #text = ''
  #usage: Usage = {}
  /** Milliseconds of audio sent. */
  #duration = 0
  /** When the first audio was sent. */
  #startedAt: number | undefined
  /** The ids of calls without a result. */
  readonly #pending = new Set<string>()
  #results: GeminiFunctionResponse[] = []

  constructor(host: GeminiAnswerHost) {
    this.#host = host
  }

  /** Starts or continues the answer. */
  speak(steps: readonly LlmStep[]): void {
    if (this.#ended) return
    this.#generating = true
    this.#run = this.#host.run(this.#timeline(steps))
  }

  /** Ends the answer early, because the user speaks or the client sent new content. */
  interrupt(): void {
    if (this.#ended) return
    this.#run?.stop()
    const ids = [...this.#pending]
    if (ids.length > 0) this.#host.send({ toolCallCancellation: { ids } })
    this.#sendContent({ interrupted: true })
    this.#end()
  }

  /** Adds the result of a call. A result for an unknown call is ignored. */
  toolResponse(response: GeminiFunctionResponse): void {
    if (!this.#pending.delete(response.id ?? '')) return
    this.#results.push(response)
    this.#host.remember({ role: 'user', parts: [{ functionResponse: response }] })
    if (!this.#generating) this.#continue()
  }

  *#timeline(steps: readonly LlmStep[]): Timeline {
    yield this.#host.firstAfter
    for (const step of steps) {
      if (typeof step === 'object' && 'fail' in step) return this.#host.failed(step.fail)
      if (typeof step === 'object' && 'wait' in step) yield step.wait
      else if (typeof step === 'object' && 'stall' in step) yield Infinity
      else yield* this.#send(this.#host.chunkOf(step))
    }
    this.#generating = false
    if (this.#pending.size > 0 || this.#results.length > 0) return this.#continue()
    this.#sendContent({ generationComplete: true })
    // The vendor assumes that its audio plays at once in real time, and waits for the end of that.
    const { now } = this.#host
    if (this.#startedAt !== undefined) yield Math.max(0, this.#startedAt + this.#duration - now())
    return this.#end()
  }

  *#send(chunk: LlmChunk): Timeline {
    if (chunk.type === 'text' && this.#host.spoken) yield* this.#say(chunk.text)
    else if (chunk.type === 'text') this.#write(chunk.text)
    else if (chunk.type === 'tool-call') this.#call(chunk.id, chunk.name, chunk.input)
    else this.#usage = chunk.usage
  }

  *#say(text: string): Timeline {
    const { transcribed, msPerCharacter, speed, now } = this.#host
    this.#startedAt ??= now()
    if (transcribed) this.#sendContent({ outputTranscription: { text } })
    let sent = 0
    for (const frame of audioChunks(soundOf(text, RATE, msPerCharacter))) {
      const data = Buffer.from(bytesFromSamples(frame.samples)).toString('base64')
      const inlineData = { data, mimeType: `audio/pcm;rate=${RATE}` }
      this.#sendContent({ modelTurn: { role: 'model', parts: [{ inlineData }] } })
      this.#duration += durationOf(frame)
      // Of an interrupted turn, the model remembers what was sent.
      const end = sent + durationOf(frame)
      this.#text += text.slice(Math.floor(sent / msPerCharacter), Math.floor(end / msPerCharacter))
      sent = end
      if (speed < Infinity) yield durationOf(frame) / speed
    }
  }

  #write(text: string): void {
    this.#text += text
    this.#sendContent({ modelTurn: { role: 'model', parts: [{ text }] } })
  }

  #call(id: string, name: string, input: string): void {
    this.#rememberText()
    const call = { id, name, args: argsOf(input) }
    if (this.#host.waitsForTools) this.#pending.add(id)
    this.#host.remember({ role: 'model', parts: [{ functionCall: call }] })
    this.#host.send({ toolCall: { functionCalls: [call] } })
  }

  #continue(): void {
    if (this.#pending.size > 0) return
    const results = this.#results
    this.#results = []
    this.#generating = true
    this.#host.continueWith(results)
  }

  #end(): void {
    this.#ended = true
    this.#rememberText()
    const { inputTokens = 10, outputTokens = Math.ceil(this.#duration / 40) } = this.#usage
    this.#host.send({
      serverContent: { turnComplete: true },
      usageMetadata: {
        promptTokenCount: inputTokens,
        responseTokenCount: outputTokens,
        totalTokenCount: inputTokens + outputTokens,
      },
    })
    this.#host.ended()
  }

  #rememberText(): void {
    if (this.#text) this.#host.remember({ role: 'model', parts: [{ text: this.#text }] })
    this.#text = ''
  }

  #sendContent(serverContent: GeminiServerContent): void {
    this.#host.send({ serverContent })
  }
}

/** The vendor sends objects. Invalid JSON in a script becomes an empty one. */
function argsOf(input: string): Record<string, unknown> {
  try {
    return JSON.parse(input) as Record<string, unknown>
  } catch {
    return {}
  }
}
