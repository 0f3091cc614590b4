import { durationOf, level, type AudioFormat } from '../../../audio/index.ts'
import { PartTimeoutError, type RealtimeEvents } from '../../../parts/index.ts'
import type { Scope, Timer } from '../../../scope/index.ts'
import { answerProblem } from '../../sound-limit.ts'
import { AudioDecoder } from '../../vendor-message.ts'

/** An answer ends when the model has been silent for this long, in milliseconds. */
const GAP = 600
/** The same for an answer that was interrupted: shorter, so that the answer to a short interruption is not dropped, too. */
const DROPPED_GAP = 300
/** In dBFS. Quieter audio is silence. */
const SILENCE = -50

export interface LiveRequest {
  readonly instructions: string | undefined
  /** The backend waits for this request, because it has the results of its calls. */
  continues: boolean
}

export interface LiveAnswer {
  readonly role: 'assistant'
  readonly id: string
  text: string
  /** Milliseconds of sound. */
  sound: number
  /** When its first words were spoken, in milliseconds since the beginning of the session. */
  startedAt: number | undefined
}

export interface LiveAnswersHost {
  readonly name: string
  readonly scope: Scope<string>
  readonly events: RealtimeEvents
  readonly format: AudioFormat
  /** How long a request may go without an answer. */
  readonly answerTimeout: number
  /** Sends a request under this id. Returns false if there is no connection. */
  send(request: LiveRequest, id: string): boolean
  answerStarted(answer: LiveAnswer, asked: boolean): void
  answerEnded(): void
}

/**
 * Cuts the model's speech into answers, because the service does not: one begins with the first word or sound, and ends
 * with a gap. Whether the service sends silence in between is not documented, so silence counts as nothing.
 *
 *   silence ─── words, sound or a call ──▶ answer ─── GAP ──▶ silence
 *      ▲                                      └ interrupted ─▶ dropping ── DROPPED_GAP ──┐
 *      └─────────────────────────────────────────────────────────────────────────────────┘
 *
 * A request only suggests to the model that it should speak. Requests are sent one at a time, in silence, and the next
 * answer counts as the answer to the request.
 */
export class LiveAnswers {
  readonly #host: LiveAnswersHost
  readonly #requests: LiveRequest[] = []
  #decoder: AudioDecoder
  /** The id of the first request, once it is sent. */
  #sent: string | undefined
  #ids = 0
  #answer: LiveAnswer | undefined
  #last: LiveAnswer | undefined
  /** Ignores output until the next gap: it belongs to an answer that was interrupted. */
  #dropping = false
  #gapTimer: Timer | undefined
  #requestTimer: Timer | undefined

  constructor(host: LiveAnswersHost) {
    this.#host = host
    this.#decoder = new AudioDecoder(host.format)
  }

  get running(): LiveAnswer | undefined {
    return this.#answer
  }

  /** Whether nothing would be lost with the connection. */
  get quiet(): boolean {
    return !this.#answer && this.#sent === undefined
  }

  get hasRequests(): boolean {
    return this.#requests.length > 0
  }

  request(request: LiveRequest): void {
    this.#requests.push(request)
    this.sendNext()
  }

  sendNext(): void {
    const [next] = this.#requests
    if (!next || this.#sent !== undefined || this.#answer || this.#dropping) return
    const id = `request-${++this.#ids}`
    if (!this.#host.send(next, id)) return
    this.#sent = id
    this.keepWaiting()
  }

  /** Restarts the time limit of the request that was sent: the service is working on it. */
  keepWaiting(): void {
    if (this.#sent === undefined) return
    const { name, answerTimeout } = this.#host
    this.#requestTimer?.clear()
    this.#requestTimer = this.#after(answerTimeout, 'answer', () =>
      this.failRequest(this.#sent, new PartTimeoutError(`the answer of '${name}'`, answerTimeout)),
    )
  }

  /** Answers a request with a failure, if it is the one that was sent. Returns whether it is. */
  failRequest(id: string | undefined, error: unknown): boolean {
    if (id === undefined || this.#sent !== id || this.#answer) return false
    this.#begin()
    this.#end('failed', error)
    this.sendNext()
    return true
  }

  // ── output of the service ──

  audio(base64: string): void {
    const frame = this.#decoder.push(base64)
    const silent = level(frame.samples) <= SILENCE
    // Silence within an answer keeps its words apart.
    const answer = silent ? this.#answer : this.#output()
    if (!answer || this.#dropping || frame.samples.length === 0) return
    answer.sound += durationOf(frame)
    if (!this.#failIfEndless(answer)) this.#host.events.audio(answer.id, frame)
  }

  text(text: string, startedAt: number | undefined): void {
    const answer = this.#output()
    if (!answer) return
    answer.startedAt ??= startedAt
    answer.text += text
    if (!this.#failIfEndless(answer)) this.#host.events.text(answer.id, text)
  }

  /** A tool is called even while output is dropped, because the backend waits for its result. */
  call(call: { readonly id: string; readonly name: string; readonly input: string }): void {
    this.#startGapTimer()
    const answer = this.#answer ?? this.#begin()
    if (answer) this.#host.events.toolCall(answer.id, call)
  }

  /** The backend has made all of its calls. An answer without words need not wait for a gap. */
  called(): void {
    if (!this.#answer || this.#answer.text !== '' || this.#answer.sound > 0) return
    this.#end('completed')
    this.sendNext()
  }

  /** Ends an answer if it is running, and ignores the rest of it. Returns the answer, or undefined if it is unknown. */
  interrupt(response: string): LiveAnswer | undefined {
    const answer = [this.#answer, this.#last].find((each) => each?.id === response)
    if (answer && answer === this.#answer) this.#drop('cancelled')
    return answer
  }

  /** The connection was lost. Requests without an answer are sent again. */
  lost(error: unknown): void {
    this.release()
    this.#sent = undefined
    this.#dropping = false
    this.#decoder = new AudioDecoder(this.#host.format)
    for (const request of this.#requests) request.continues = false
    this.#end('failed', error)
  }

  release(): void {
    this.#gapTimer?.clear()
    this.#requestTimer?.clear()
  }

  // ── one answer ──

  #output(): LiveAnswer | undefined {
    this.#startGapTimer()
    return this.#dropping ? undefined : (this.#answer ?? this.#begin())
  }

  /** Returns undefined if a listener has interrupted it. */
  #begin(): LiveAnswer | undefined {
    const asked = this.#sent !== undefined
    if (asked) this.#requests.shift()
    this.#sent = undefined
    this.#requestTimer?.clear()
    const answer: LiveAnswer = {
      role: 'assistant',
      id: `answer-${++this.#ids}`,
      text: '',
      sound: 0,
      startedAt: undefined,
    }
    this.#answer = this.#last = answer
    this.#host.answerStarted(answer, asked)
    this.#host.events.responseStarted(answer.id, asked)
    return this.#answer
  }

  #end(how: 'completed' | 'cancelled' | 'failed', error?: unknown): void {
    const answer = this.#answer
    if (!answer) return
    this.#answer = undefined
    if (how === 'failed') this.#host.events.responseEnded(answer.id, how, error)
    else this.#host.events.responseEnded(answer.id, how)
    this.#host.answerEnded()
  }

  #drop(how: 'cancelled' | 'failed', error?: unknown): void {
    this.#dropping = true
    this.#startGapTimer()
    this.#end(how, error)
  }

  #failIfEndless({ sound, text }: LiveAnswer): boolean {
    const problem = answerProblem(this.#host.name, sound, text.length)
    if (problem) this.#drop('failed', problem)
    return problem !== undefined
  }

  #startGapTimer(): void {
    this.#gapTimer?.clear()
    this.#gapTimer = this.#after(this.#dropping ? DROPPED_GAP : GAP, 'gap', () => {
      this.#dropping = false
      this.#end('completed')
      this.sendNext()
    })
  }

  #after(ms: number, what: string, callback: () => void): Timer | undefined {
    const { scope, name } = this.#host
    return scope.state === 'live' ? scope.after(ms, `${what} of '${name}'`, callback) : undefined
  }
}
