import { BeepDetector, type AudioFrame } from '../../audio/index.ts'
import type { AnswerVerdict } from '../../parts/index.ts'
import {
  EndwellError,
  MachineShell,
  OptionError,
  callOut,
  noop,
  type OptionNames,
} from '../../scope/index.ts'
import type { Closing, Stations } from '../closing/closing.ts'
import type { SessionContext } from '../context.ts'
import type { Speech } from '../speaking/speech.ts'
import {
  answeredByNames,
  leaveMessageNames,
  type Answered,
  type AnsweredByOptions,
  type LeaveMessageOptions,
  type LeavingTool,
  type MessageOutcome,
  type Pickups,
  type Tap,
} from './answered.ts'
import { askLlm } from './ask-llm.ts'
import { MessageMachine, type MessageCommand, type MessageEvent } from './message-machine.ts'
import { Outcome } from './outcome.ts'
import { PickupMachine, type PickupCommand, type PickupEvent } from './pickup-machine.ts'

type Finding = Extract<PickupCommand, { type: 'settle' }>['found']

/** Characters of what is said that are kept, for the verdict and its report. A machine may talk for as long as it likes. */
const LONGEST_TEXT = 4_000

/** The longest time that an option may set, in milliseconds. */
const LONGEST = 10 * 60_000

/**
 * Finds out who answered a call, and leaves a message with a machine (MD1–MD7). `PickupMachine` and `MessageMachine` decide; this
 * class passes on what is heard:
 *
 *   line ─ frame ─▶ BeepDetector ─┐
 *   VAD, STT ─ turn events ───────┼─▶ PickupMachine ─▶ who answered ─▶ turns are taken again
 *   line ─ the carrier's verdict ─┘   MessageMachine ─▶ say, stop, hang up
 *
 * Meanwhile no turn begins. What was said becomes the first turn, unless a machine has said it.
 */
export class Pickup implements Pickups, Tap {
  readonly #context: SessionContext
  readonly #closing: Closing
  #answered: Promise<Answered> | undefined
  #leaving: Promise<unknown> = Promise.resolve()
  #detection: MachineShell<PickupEvent, PickupCommand> | undefined
  #message: MachineShell<MessageEvent, MessageCommand> | undefined
  #beeps: BeepDetector | undefined
  #subscribed = false
  // ── what is known about the other side ──
  #speaks = false
  #quietSince = 0
  /** Set once a machine records, until it speaks again. */
  #ready: 'beep' | 'carrier' | undefined
  #said = ''
  #interim = ''

  constructor(context: SessionContext, closing: Closing) {
    this.#context = context
    this.#closing = closing
  }

  /** Finds out who answered. The same answer for every caller. */
  answeredBy(options?: AnsweredByOptions): Promise<Answered> {
    return droppable(this.#answered ?? this.#askWho(options))
  }

  async #askWho(options?: AnsweredByOptions): Promise<Answered> {
    const work = this.#closing.work('find out who answered')
    if (work instanceof EndwellError) return { by: 'unknown', how: 'closed', said: '', took: 0 }
    this.#answered = this.#context.patiently(this.#detect(work, options))
    return this.#answered
  }

  /** Leaves a message. `tool` is the call that requests it, if a tool does. */
  leaveMessage(text: string, options?: LeaveMessageOptions, tool?: LeavingTool): Promise<MessageOutcome> {
    return droppable(this.#askToLeave(text, options, tool))
  }

  async #askToLeave(
    text: string,
    options: LeaveMessageOptions | undefined,
    tool: LeavingTool | undefined,
  ): Promise<MessageOutcome> {
    const work = this.#closing.work('leave a message')
    if (work instanceof EndwellError) return notLeft(work)
    const leaving = this.#context.patiently(this.#leaveInTurn(text, options, tool))
    this.#leaving = leaving
    return leaving
  }

  // ── what is heard ──

  hear(frame: AudioFrame): void {
    this.#beeps ??= new BeepDetector(frame.sampleRate)
    const tone = this.#beeps.push(frame)
    if (!tone) return
    if (tone.type === 'beep') this.#ready = 'beep'
    this.#detection?.handle({ type: 'tone', tone: tone.type })
    if (tone.type === 'beep') this.#message?.handle({ type: 'beep' })
  }

  notice({ type, since = this.#context.now, text = '' }: Parameters<Tap['notice']>[0]): void {
    const { models, turns } = this.#context.settings
    const wordsOnly = !models.vad && !models.realtime
    switch (type) {
      case 'user-started':
        return this.#hears(true, since)
      case 'user-stopped':
        // The turn machine leaves that to us while no turn is taken.
        if (turns.mode === 'vad') this.#closing.stations?.hearing.flush()
        return this.#hears(false, since)
      case 'interim':
        this.#interim = text.slice(0, LONGEST_TEXT)
        if (wordsOnly && text.trim() !== '') this.#hears(true, since)
        return this.#detection?.handle({ type: 'words', text: this.#text })
      case 'final':
        this.#said = `${this.#said} ${text}`.trim().slice(0, LONGEST_TEXT)
        this.#interim = ''
        if (wordsOnly) this.#hears(false, since)
        return this.#detection?.handle({ type: 'words', text: this.#text })
      case 'stt-started':
        return wordsOnly ? this.#hears(true, since) : undefined
      case 'maybe-end-of-turn':
      case 'end-of-turn':
        return wordsOnly ? this.#hears(false, since) : undefined
      default:
        return undefined
    }
  }

  get #text(): string {
    return `${this.#said} ${this.#interim}`.trim()
  }

  #hears(speaks: boolean, since: number): void {
    // A voice detector may take the beep itself for speech, and says so before the beep is known.
    if (speaks) this.#ready = undefined
    else this.#quietSince = since
    this.#speaks = speaks
    this.#detection?.handle({ type: 'speech', speaks, since })
    this.#message?.handle({ type: 'speech', speaks, since })
  }

  /** The carrier says who answered. Foreign code calls this: anything may come, at any time. */
  #verdict(verdict: AnswerVerdict): void {
    const { by, ended } = (verdict ?? {}) as Partial<AnswerVerdict>
    if (!this.#context.isOpen) return
    if (by !== 'person' && by !== 'machine' && by !== 'fax') return
    if (ended !== undefined) this.#ready = ended === 'beep' ? 'beep' : 'carrier'
    this.#detection?.handle({ type: 'carrier', by })
    if (ended !== undefined) this.#message?.handle({ type: 'ready', beep: ended === 'beep' })
  }

  #listen(): void {
    const { line } = this.#context
    this.#context.tap = this
    if (this.#subscribed) return
    this.#subscribed = true
    callOut(
      () => line?.onVerdict?.((verdict) => this.#verdict(verdict)),
      (error) => this.#context.failed('line', error),
    )
  }

  #ignore(): void {
    this.#context.tap = undefined
    this.#beeps = undefined
  }

  // ── who answered ──

  async #detect(stations: Stations, options?: AnsweredByOptions): Promise<Answered> {
    const { scope, book } = this.#context
    const own = this.#optionsOf('answeredBy', options, answeredByNames)
    const times = this.#times('answeredBy', own, {
      greeting: 2_500,
      pause: 500,
      silence: 10_000,
      limit: 20_000,
    })
    const { speaking, text } = stations.hearing.pendingWords
    const begunAt = this.#context.now
    const finish = book.detecting(begunAt)
    stations.hearing.stopTurns(false)
    this.#speaks = speaking
    this.#said = text
    const outcome = new Outcome<Answered>()
    const conclude = (found: Finding): void => {
      const took = this.#context.now - begunAt
      finish(found, took)
      this.#context.events.emit('answered', { ...found, late: false })
      this.#goOn(stations, found.by)
      outcome.settle({ ...found, said: this.#text, took })
    }
    const machine = new PickupMachine({
      ...times,
      judges: own.judge !== undefined,
      words: this.#context.settings.models.stt !== undefined,
    })
    this.#detection = new MachineShell(machine, scope, {
      name: 'who answered',
      carryOut: (command) => {
        if (command.type === 'settle') conclude(command.found)
        else if (command.type === 'judge') this.#judge(command.text, own.judge!)
        else this.#late(command.by)
      },
    })
    this.#detection.handle({ type: 'begin', speaking })
    this.#listen()
    if (text !== '') this.#detection.handle({ type: 'words', text })
    const answered = await outcome.until(scope)
    if (answered) return answered
    this.#ignore()
    return { by: 'unknown', how: 'closed', said: this.#text, took: this.#context.now - begunAt }
  }

  /** Takes turns again. The words of a machine are no turn; it may get a message, so it is listened to. */
  #goOn({ hearing, answering }: Stations, by: Answered['by']): void {
    const { settings } = this.#context
    const isMachine = by === 'machine' || by === 'fax'
    if (isMachine) hearing.setAside()
    if (by !== 'machine') this.#ignore()
    if (this.#closing.state !== 'live') return
    hearing.takeTurns()
    // A realtime model has heard it, and was kept from answering.
    if (settings.turns.mode === 'realtime' && !isMachine && this.#text !== '') answering.reply()
  }

  #judge(text: string, judge: NonNullable<AnsweredByOptions['judge']>): void {
    const { result } = this.#context.scope.spawn('judge of the greeting', async (task) => {
      if (typeof judge === 'function') return judge(text, task.signal)
      const part = this.#context.counting(this.#context.links('judge of the greeting'), judge)
      return askLlm(judge, part, text, task)
    })
    result.then(
      (word) => this.#detection?.handle({ type: 'judged', by: asAnsweredBy(word) }),
      (error: unknown) => {
        if (!this.#context.isOpen) return
        this.#context.failed('answeredBy', error)
        this.#detection?.handle({ type: 'judged', by: undefined })
      },
    )
  }

  /** The carrier contradicts, or confirms, what was found out before. */
  #late(by: Answered['by']): void {
    const { book, events, now } = this.#context
    book.answeredLater(by, now)
    events.emit('answered', { by, how: 'carrier', late: true })
  }

  // ── a message ──

  async #leaveInTurn(
    text: string,
    options: LeaveMessageOptions | undefined,
    tool: LeavingTool | undefined,
  ): Promise<MessageOutcome> {
    const before = this.#leaving
    await this.#answered
    await before
    const work = this.#closing.work('leave a message')
    return work instanceof EndwellError ? notLeft(work) : this.#leave(work, text, options, tool)
  }

  async #leave(
    stations: Stations,
    text: string,
    options: LeaveMessageOptions | undefined,
    tool: LeavingTool | undefined,
  ): Promise<MessageOutcome> {
    const { hearing, speaking } = stations
    const own = this.#optionsOf('leaveMessage', options, leaveMessageNames)
    const finish = this.#context.book.leaving(this.#context.now)
    const wasListening = this.#context.tap === this
    if (!wasListening) {
      this.#speaks = hearing.pendingWords.speaking
      this.#quietSince = this.#context.now
    }
    this.#listen()
    hearing.stopTurns(false)
    speaking.waitForLine(true)
    const outcome = await this.#say(stations, text, own)
    this.#message = undefined
    this.#ignore()
    finish(outcome, this.#context.now)
    hearing.setAside()
    if (this.#closing.state !== 'live') return outcome
    if (own.hangUp !== false) {
      // Not awaited: a hook or a tool that leaves a message must not wait for the end of its own session.
      tool?.done()
      this.#closing.hangUp({ by: own.by ?? 'leaveMessage' }, tool?.task).catch(noop)
      return outcome
    }
    speaking.waitForLine(false)
    hearing.takeTurns()
    return outcome
  }

  async #say(stations: Stations, text: string, own: LeaveMessageOptions): Promise<MessageOutcome> {
    const { scope } = this.#context
    const machine = new MessageMachine(this.#times('leaveMessage', own, { silence: 2_000, timeout: 30_000 }))
    let speech: Speech | undefined
    let error: unknown
    const outcome = new Outcome<MessageOutcome>()
    const say = (): void => {
      // The greeting comes before the message.
      stations.hearing.setAside()
      speech = stations.answering.say(text, { interruptible: false })
      speech
        .waitForPlayout()
        .then((played) => {
          ;({ error } = played)
          this.#message?.handle({ type: 'said', how: played.how, confirmed: played.confirmed })
        })
        .catch(noop)
    }
    this.#message = new MachineShell(machine, scope, {
      name: 'message',
      carryOut: (command) => {
        if (command.type === 'say') say()
        else if (command.type === 'stop') speech?.interrupt({ force: true })
        else outcome.settle(error === undefined ? command.outcome : { ...command.outcome, error })
      },
    })
    const [ready, speaks, quietSince] = [this.#ready, this.#speaks, this.#quietSince]
    this.#message.handle({ type: 'begin', ready, speaking: speaks, quietSince })
    const left = await outcome.until(scope)
    return left ?? { heard: false, how: 'interrupted', after: machine.after, attempts: machine.attempts }
  }

  // ── options ──

  #optionsOf<T extends object>(verb: string, options: T | undefined, names: OptionNames<T>): Partial<T> {
    return this.#closing.optionsOf(verb, options, names) ?? {}
  }

  /** The times in the options. One that makes no sense is reported, and its default is used (FA7). */
  #times<Names extends string>(
    verb: string,
    options: Readonly<{ [Name in NoInfer<Names>]?: unknown }>,
    defaults: Readonly<Record<Names, number>>,
  ): Record<Names, number> {
    const times: Record<Names, number> = { ...defaults }
    for (const name of Object.keys(defaults) as Names[]) {
      const value = options[name]
      if (value === undefined) continue
      if (typeof value === 'number' && value > 0 && value <= LONGEST) times[name] = value
      else
        this.#context.failed(
          verb,
          new OptionError(`${verb}: ${name} must be from 1 to ${LONGEST} ms; it is ${String(value)}`),
        )
    }
    return times
  }
}

/** What a judge says, as a language model may write it. */
function asAnsweredBy(word: unknown): Answered['by'] | undefined {
  const [, known] = (typeof word === 'string' && /^\W*(person|machine|fax|menu)\b/i.exec(word)) || []
  return known?.toLowerCase() as Answered['by'] | undefined
}

/** A caller may drop the promise. It rejects only if the session was never started. */
function droppable<T>(promise: Promise<T>): Promise<T> {
  promise.catch(noop)
  return promise
}

function notLeft(error: unknown): MessageOutcome {
  return { heard: false, how: 'failed', after: 'timeout', attempts: 0, error }
}
