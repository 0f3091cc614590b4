import { durationOf, type AudioFrame } from '../../audio/index.ts'
import type { RealtimeEvents } from '../../parts/index.ts'

/** One answer, as it was told. */
interface Answer {
  readonly response: string
  /** Whether it was asked for. */
  readonly asked: boolean
  text: string
  /** Milliseconds. */
  sound: number
  how: 'running' | 'completed' | 'cancelled' | 'failed'
}

/** Listens to a realtime model, and notes what comes out of order. */
export class RealtimeRecorder implements RealtimeEvents {
  readonly answers: Answer[] = []
  readonly calls: { readonly id: string; readonly name: string; readonly input: string }[] = []
  readonly failures: unknown[] = []
  readonly rates = new Set<number>()
  /** What belonged to no answer, or to one that was over. */
  readonly disorder: string[] = []
  user = ''
  /** How many things were told. */
  count = 0

  /** How many answers were completed. */
  get completed(): number {
    return this.answers.filter(({ how }) => how === 'completed').length
  }

  /** Whether the last answer is running, and some of its text and its sound has come. */
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
      this.disorder.push(`${response} began twice`)
    this.answers.push({ response, asked, text: '', sound: 0, how: 'running' })
  }

  audio(response: string, frame: AudioFrame): void {
    this.rates.add(frame.sampleRate)
    const answer = this.#running(response, 'sound')
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
