import { durationOf, type AudioFrame } from '../../audio/index.ts'
import type { RealtimeEvents } from '../../parts/index.ts'

/** The events of one answer. */
interface Answer {
  readonly response: string
  /** Whether the answer was requested. */
  readonly asked: boolean
  text: string
  /** Milliseconds of audio. */
  sound: number
  how: 'running' | 'completed' | 'cancelled' | 'failed'
}

/** Records the events of a realtime model, and which of them are out of order. */
export class RealtimeRecorder implements RealtimeEvents {
  readonly answers: Answer[] = []
  readonly calls: { readonly id: string; readonly name: string; readonly input: string }[] = []
  readonly failures: unknown[] = []
  readonly rates = new Set<number>()
  /** Events of an answer that had not started or had ended. */
  readonly disorder: string[] = []
  user = ''
  /** The number of events. */
  count = 0

  /** The number of completed answers. */
  get completed(): number {
    return this.answers.filter(({ how }) => how === 'completed').length
  }

  /** Whether the last answer is running and has emitted both text and audio. */
  get speaking(): boolean {
    const last = this.answers.at(-1)
    return last?.how === 'running' && last.text !== '' && last.sound > 0
  }

  userStarted(): void {
    this.count++
  }

  userStopped(): void {
    this.count++
  }

  userInterim(): void {
    this.count++
  }

  userFinal(text: string): void {
    this.count++
    this.user += text
  }

  responseStarted(response: string, asked: boolean): void {
    this.count++
    if (this.answers.some((answer) => answer.response === response))
      this.disorder.push(`${response} started twice`)
    this.answers.push({ response, asked, text: '', sound: 0, how: 'running' })
  }

  audio(response: string, frame: AudioFrame): void {
    this.rates.add(frame.sampleRate)
    const answer = this.#running(response, 'audio')
    if (answer) answer.sound += durationOf(frame)
  }

  text(response: string, text: string): void {
    const answer = this.#running(response, 'text')
    if (answer) answer.text += text
  }

  toolCall(response: string, call: RealtimeRecorder['calls'][number]): void {
    this.#running(response, 'a tool call')
    this.calls.push(call)
  }

  toolCancelled(): void {
    this.count++
  }

  responseEnded(response: string, how: 'completed' | 'cancelled' | 'failed'): void {
    const answer = this.#running(response, 'an end')
    if (answer) answer.how = how
  }

  usage(): void {
    this.count++
  }

  failed(error: unknown): void {
    this.count++
    this.failures.push(error)
  }

  #running(response: string, what: string): Answer | undefined {
    this.count++
    const answer = this.answers.find((each) => each.response === response && each.how === 'running')
    if (!answer) this.disorder.push(`${what} of ${response}, which is not running`)
    return answer
  }
}
