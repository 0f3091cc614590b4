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
import { pieces } from './pieces.ts'
import type { Acts, Play } from './play.ts'

/** Its voice. */
const RATE = 24_000

/** What an answer needs of its session. */
export interface GeminiAnswerStage {
  readonly spoken: boolean
  readonly transcribed: boolean
  /** Milliseconds before the first output. */
  readonly firstAfter: number
  readonly speed: number
  readonly msPerCharacter: number
  readonly now: () => number
  readonly send: (message: GeminiServerMessage) => void
  readonly play: (acts: Acts) => Play | undefined
  readonly chunkOf: (
    step: Exclude<LlmStep, { wait: number } | { stall: true } | { fail: unknown }>,
  ) => LlmChunk
  /** Adds to what the session remembers. */
  readonly remember: (content: GeminiContent) => void
  /** The outputs of every call have come: the answer goes on with more steps. */
  readonly goOn: (results: readonly GeminiFunctionResponse[]) => void
  readonly failed: (error: unknown) => void
  /** The turn is complete. */
  readonly ended: () => void
}

/** One turn of the model, from its first output to `turnComplete`: its tool calls are part of it. */
export class GeminiAnswer {
  readonly #stage: GeminiAnswerStage
  #play: Play | undefined
  #over = false
  #generating = false
  #text = ''
  #usage: Usage = {}
  /** Milliseconds of sound, and when it began. */
  #sounded = 0
  #began: number | undefined
  /** Calls whose outputs have not come. */
  readonly #pending = new Set<string>()
  #results: GeminiFunctionResponse[] = []

  constructor(stage: GeminiAnswerStage) {
    this.#stage = stage
  }

  /** More of the answer, after what it said before. */
  speak(steps: readonly LlmStep[]): void {
    if (this.#over) return
    this.#generating = true
    this.#play = this.#stage.play(this.#acts(steps))
  }

  /** The user speaks, or the client brings something new: the rest is not said. */
  interrupt(): void {
    if (this.#over) return
    this.#play?.stop()
    const ids = [...this.#pending]
    if (ids.length > 0) this.#stage.send({ toolCallCancellation: { ids } })
    this.#tell({ interrupted: true })
    this.#end()
  }

  /** The output of a tool. One that nobody waits for is ignored. */
  toolResponse(response: GeminiFunctionResponse): void {
    if (!this.#pending.delete(response.id ?? '')) return
    this.#results.push(response)
    this.#stage.remember({ role: 'user', parts: [{ functionResponse: response }] })
    if (!this.#generating) this.#continue()
  }

  *#acts(steps: readonly LlmStep[]): Acts {
    yield this.#stage.firstAfter
    for (const step of steps) {
      if (typeof step === 'object' && 'fail' in step) return this.#stage.failed(step.fail)
      if (typeof step === 'object' && 'wait' in step) yield step.wait
      else if (typeof step === 'object' && 'stall' in step) yield Infinity
      else yield* this.#give(this.#stage.chunkOf(step))
    }
    this.#generating = false
    if (this.#pending.size > 0 || this.#results.length > 0) return this.#continue()
    this.#tell({ generationComplete: true })
    // The vendor assumes that its sound is played as it comes, and waits for that.
    const { now } = this.#stage
    if (this.#began !== undefined) yield Math.max(0, this.#began + this.#sounded - now())
    return this.#end()
  }

  *#give(chunk: LlmChunk): Acts {
    if (chunk.type === 'text' && this.#stage.spoken) yield* this.#say(chunk.text)
    else if (chunk.type === 'text') this.#write(chunk.text)
    else if (chunk.type === 'tool-call') this.#call(chunk.id, chunk.name, chunk.input)
    else this.#usage = chunk.usage
  }

  *#say(text: string): Acts {
    const { transcribed, msPerCharacter, speed, now } = this.#stage
    this.#began ??= now()
    if (transcribed) this.#tell({ outputTranscription: { text } })
    let given = 0
    for (const frame of pieces(soundOf(text, RATE, msPerCharacter))) {
      const data = Buffer.from(bytesFromSamples(frame.samples)).toString('base64')
      const inlineData = { data, mimeType: `audio/pcm;rate=${RATE}` }
      this.#tell({ modelTurn: { role: 'model', parts: [{ inlineData }] } })
      this.#sounded += durationOf(frame)
      // What was sent is what the model remembers of a turn that is interrupted.
      const sent = given + durationOf(frame)
      this.#text += text.slice(Math.floor(given / msPerCharacter), Math.floor(sent / msPerCharacter))
      given = sent
      if (speed < Infinity) yield durationOf(frame) / speed
    }
  }

  #write(text: string): void {
    this.#text += text
    this.#tell({ modelTurn: { role: 'model', parts: [{ text }] } })
  }

  #call(id: string, name: string, input: string): void {
    this.#rememberWords()
    const call = { id, name, args: argsOf(input) }
    this.#pending.add(id)
    this.#stage.remember({ role: 'model', parts: [{ functionCall: call }] })
    this.#stage.send({ toolCall: { functionCalls: [call] } })
  }

  #continue(): void {
    if (this.#pending.size > 0) return
    const results = this.#results
    this.#results = []
    this.#generating = true
    this.#stage.goOn(results)
  }

  #end(): void {
    this.#over = true
    this.#rememberWords()
    const { inputTokens = 10, outputTokens = Math.ceil(this.#sounded / 40) } = this.#usage
    this.#stage.send({
      serverContent: { turnComplete: true },
      usageMetadata: {
        promptTokenCount: inputTokens,
        responseTokenCount: outputTokens,
        totalTokenCount: inputTokens + outputTokens,
      },
    })
    this.#stage.ended()
  }

  #rememberWords(): void {
    if (this.#text) this.#stage.remember({ role: 'model', parts: [{ text: this.#text }] })
    this.#text = ''
  }

  #tell(serverContent: GeminiServerContent): void {
    this.#stage.send({ serverContent })
  }
}

/** The vendor gives objects, never text: what a script has wrong is lost. */
function argsOf(input: string): Record<string, unknown> {
  try {
    return JSON.parse(input) as Record<string, unknown>
  } catch {
    return {}
  }
}
