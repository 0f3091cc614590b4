import { Framer, durationOf, level, type AudioFrame } from '../audio/index.ts'
import type { RealtimeEvents, RealtimeModel, RealtimeSetup } from '../parts/index.ts'
import type { PartInstance } from './part-instance.ts'
import type { RealtimeAnswer, RealtimeRecord, RealtimeTurn } from './realtime-record.ts'
import type { LlmStep, Script } from './script.ts'
import type { ScriptedRealtimeOptions } from './scripted-realtime-options.ts'
import { SoundReader, soundOf } from './sound-text.ts'

type Answer = { -readonly [K in keyof RealtimeAnswer]: RealtimeAnswer[K] } & {
  readonly stop: AbortController
  /** Requested by `respond()`, and not started by the end of a turn. */
  readonly asked: boolean
  started: boolean
}

/** In dBFS. Quieter audio counts as silence. */
const QUIET = -50

/** One conversation with a `ScriptedRealtime`. */
export class ScriptedRealtimeModel implements RealtimeModel {
  readonly #record: RealtimeRecord
  readonly #instance: PartInstance
  readonly #setup: RealtimeSetup
  readonly #events: RealtimeEvents
  readonly #script: Script<RealtimeTurn>
  readonly #options: ScriptedRealtimeOptions
  readonly #reader = new SoundReader()
  /** The latest answer. */
  #answer: Answer | undefined
  readonly #answers: Answer[] = []
  /** Requests that wait for the current answer to end. */
  readonly #requests: (string | undefined)[] = []
  /** Tool calls without a result. */
  readonly #calls = new Set<string>()
  /** Results that have not been passed to an answer. */
  #results: RealtimeTurn['results'][number][] = []
  /** What the user has typed or said since the last answer. */
  #unanswered = ''
  #failed = false
  #speaking = false
  /** The user's words in this turn. */
  #user = ''
  /** Milliseconds of silence since the last sound. */
  #quiet = 0

  constructor(
    record: RealtimeRecord,
    instance: PartInstance,
    setup: RealtimeSetup,
    events: RealtimeEvents,
    script: Script<RealtimeTurn>,
    options: ScriptedRealtimeOptions,
  ) {
    this.#record = record
    this.#instance = instance
    this.#setup = setup
    this.#events = events
    this.#script = script
    this.#options = options
    record.setups.push(setup)
    for (const { role, ...call } of setup.messages) {
      if (role === 'tool-call' && 'id' in call) this.#calls.add(call.id)
      if (role === 'tool-result' && 'id' in call) this.#calls.delete(call.id)
    }
    instance.onEnd(() => this.#answer?.stop.abort())
  }

  // ── RealtimeModel ──

  push(frame: AudioFrame): void {
    if (this.#ended) return
    const words = this.#reader.push(frame.samples)
    this.#quiet = level(frame.samples) > QUIET ? 0 : this.#quiet + durationOf(frame)
    if (this.#quiet === 0) this.userStarts()
    if (words) {
      this.#user += words
      this.#events.userInterim(this.#user)
    }
    if (this.#speaking && this.#setup.takesTurns && this.#quiet >= (this.#options.turnSilence ?? 300))
      this.#endTurn()
  }

  commit(): void {
    if (!this.#ended && this.#user) this.#endTurn()
  }

  respond(instructions?: string): void {
    if (this.#ended) return
    if (this.#answer?.how === 'running') this.#requests.push(instructions)
    else this.#respond(instructions, true)
  }

  addText(text: string): void {
    if (this.#ended) return
    this.#record.texts.push(text)
    this.#unanswered += text
  }

  toolResult(id: string, output: string, failed: boolean): void {
    if (this.#ended) return
    const result = { id, output, failed }
    this.#record.results.push(result)
    if (this.#calls.delete(id)) this.#results.push(result)
  }

  interrupt(response: string, heard: number): void {
    if (this.#ended) return
    this.#record.interruptions.push({ response, heard })
    const answer = this.#answers.find((each) => each.response === response)
    if (!answer) return
    const { interruptTakes = 0, msPerCharacter = 50 } = this.#options
    answer.remembered = answer.text.slice(0, Math.floor(heard / msPerCharacter))
    this.#instance.after(interruptTakes, 'is interrupted', () => this.#cancel(answer))
  }

  update(setup: Pick<RealtimeSetup, 'instructions' | 'tools'>): void {
    if (!this.#ended) this.#record.setups.push(setup)
  }

  // ── control by the test ──

  hear(text: string): void {
    if (this.#ended) return
    this.userStarts()
    this.#user += text
    this.#events.userInterim(this.#user)
    if (this.#setup.takesTurns) this.#endTurn()
  }

  userStarts(): void {
    if (this.#ended || this.#speaking) return
    this.#speaking = true
    this.#events.userStarted()
    if (this.#options.yields && this.#answer) this.#cancel(this.#answer)
  }

  userStops(): void {
    if (this.#ended || !this.#speaking) return
    this.#speaking = false
    this.#events.userStopped()
  }

  stops(): void {
    if (!this.#ended && this.#answer) this.#cancel(this.#answer)
  }

  cancelTool(id: string): void {
    if (!this.#ended && this.#calls.delete(id)) this.#events.toolCancelled(id)
  }

  drop(error: unknown): void {
    if (this.#ended) return
    this.#failed = true
    this.#answer?.stop.abort()
    this.#instance.disconnected('dropped')
    this.#events.failed(error)
  }

  get #ended(): boolean {
    return this.#failed || this.#instance.ended
  }

  #endTurn(): void {
    const user = this.#user.trim()
    this.#user = ''
    this.#unanswered += user
    this.userStops()
    this.#transcribe(user)
    if (this.#setup.takesTurns) this.#respond(undefined, false)
  }

  #transcribe(user: string): void {
    const { finalAfter = 0 } = this.#options
    if (finalAfter === 'never') return
    if (finalAfter === 0) return this.#events.userFinal(user)
    this.#instance.after(finalAfter, 'transcribes', () => {
      if (!this.#ended) this.#events.userFinal(user)
    })
  }

  #respond(instructions: string | undefined, asked: boolean): void {
    if (this.#answer) this.#cancel(this.#answer)
    const turn = { user: this.#unanswered, instructions, results: this.#results }
    this.#unanswered = ''
    this.#results = []
    const answer: Answer = {
      response: `response-${this.#record.answersGiven.length + 1}`,
      text: '',
      remembered: '',
      given: 0,
      how: 'running',
      stop: new AbortController(),
      asked,
      started: false,
    }
    this.#answer = answer
    this.#answers.push(answer)
    this.#record.answersGiven.push(answer)
    this.#speak(answer, turn).then(
      () => this.#end(answer, 'completed'),
      (error: unknown) => this.#end(answer, 'failed', error),
    )
  }

  async #speak(answer: Answer, turn: RealtimeTurn): Promise<void> {
    const { firstAfter = 0 } = this.#options
    const { signal } = answer.stop
    const steps = await this.#script.next(turn)
    if (firstAfter > 0) await this.#instance.wait(firstAfter, 'thinks', signal)
    this.#instance.check('speak', signal)
    this.#start(answer)
    for (const step of steps) await this.#step(answer, step)
  }

  async #step(answer: Answer, step: LlmStep): Promise<void> {
    const { signal } = answer.stop
    this.#instance.check('speak', signal)
    if (typeof step === 'object' && 'fail' in step) throw step.fail
    if (typeof step === 'object' && 'wait' in step) return this.#instance.wait(step.wait, 'thinks', signal)
    if (typeof step === 'object' && 'stall' in step) return this.#instance.stall('stalls', signal)
    const chunk = this.#script.chunkOf(step)
    if (chunk.type === 'usage') this.#events.usage(chunk.usage)
    else if (chunk.type === 'text') await this.#say(answer, chunk.text)
    else {
      this.#calls.add(chunk.id)
      this.#events.toolCall(answer.response, chunk)
    }
    return undefined
  }

  /** Emits the text first and then its audio, because transcripts run ahead. */
  async #say(answer: Answer, text: string): Promise<void> {
    const { msPerCharacter = 50, speed = Infinity } = this.#options
    const { speaks } = this.#setup
    answer.text += text
    answer.remembered += text
    this.#events.text(answer.response, text)
    if (!speaks) return
    const { sampleRate } = speaks
    const framer = new Framer({ sampleRate, duration: 10 })
    const frames = framer.push(soundOf(text, sampleRate, msPerCharacter).samples)
    const last = framer.flush()
    if (last) frames.push(last)
    for (const frame of frames) {
      this.#instance.check('speak', answer.stop.signal)
      answer.given += durationOf(frame)
      this.#events.audio(answer.response, frame)
      if (speed < Infinity) await this.#instance.wait(durationOf(frame) / speed, 'speaks', answer.stop.signal)
    }
  }

  #cancel(answer: Answer): void {
    if (answer.how !== 'running') return
    this.#end(answer, 'cancelled')
    answer.stop.abort()
  }

  #start(answer: Answer): void {
    answer.started = true
    this.#events.responseStarted(answer.response, answer.asked)
  }

  #end(answer: Answer, how: 'completed' | 'cancelled' | 'failed', error?: unknown): void {
    if (answer.how !== 'running') return
    answer.how = how
    if (this.#ended) return
    // A requested or failed answer is always emitted. Any other one that is cancelled before it starts is not.
    if (!answer.started && (how === 'failed' || answer.asked)) this.#start(answer)
    if (answer.started && how === 'failed') this.#events.responseEnded(answer.response, how, error)
    else if (answer.started) this.#events.responseEnded(answer.response, how)
    if (answer === this.#answer && this.#requests.length > 0) this.#respond(this.#requests.shift(), true)
  }
}
