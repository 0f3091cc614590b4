import {
  durationOf,
  keyIn,
  nearestFormat,
  silence,
  type AudioFormat,
  type AudioFrame,
} from '../../audio/index.ts'
import {
  SoundMemory,
  inlet,
  type EventOf,
  type FilterStream,
  type PartContext,
  type Shape,
  type SttEvents,
  type SttStream,
  type TurnJudge,
  type VadEvents,
} from '../../parts/index.ts'
import { MachineShell, pushTo, shelter, type Untimed } from '../../scope/index.ts'
import type { Agent } from '../answering/agent.ts'
import type { Answering } from '../answering/answering.ts'
import { failures, type CloseReason } from '../closing/close-reason.ts'
import type { EventSink, SessionContext } from '../context.ts'
import { limits } from '../limits.ts'
import type { Speaking } from '../speaking/speaking.ts'
import { chain, newEar, type ChainedEar, type Ear } from './ears.ts'
import type { PendingWords, TurnCommand, TurnEvent } from './turn-events.ts'
import { Filtering } from './filtering.ts'
import { TurnMachine } from './turn-machine.ts'
import { turnSettings } from './turn-options.ts'

const sttShape: Shape<SttEvents> = {
  started: [],
  interim: ['text'],
  final: ['text', 'details'],
  maybeEndOfTurn: [],
  resumed: [],
  endOfTurn: [],
  usage: ['usage'],
  failed: ['error'],
}
const vadShape: Shape<VadEvents> = { started: ['ms'], stopped: ['ms'], failed: ['error'] }

/**
 * The first station: turns what the caller says, types and presses into turns.
 *
 *   line ─ frame ─▶ ears ─▶ VAD, STT ─▶ TurnMachine ─ commit ─────────▶ Answering
 *                                          │  └─────── interrupt ─────▶ Answering ─▶ Speaking ─▶ line.clear()
 *                                          └────────── pause, resume ─▶ Speaking
 *
 * A realtime model hears for itself: it is one of the ears, and reports to the TurnMachine directly.
 */
export class Hearing implements EventSink<TurnEvent> {
  readonly #context: SessionContext
  readonly #answering: Answering
  readonly #speaking: Speaking
  readonly #machine: TurnMachine
  readonly #turns: MachineShell<TurnEvent, TurnCommand>
  #stt: Omit<SttStream, 'push'> | undefined
  #judge: TurnJudge | undefined
  #filtering: Filtering | undefined
  /** The sound of the turn so far, for a turn detector that hears. */
  #turnSound: SoundMemory | undefined
  /** The models that are open. */
  readonly #models: Ear[] = []
  /** The first of the ears. Undefined until the session is live. */
  #ear: ChainedEar | undefined
  /** Whether the session is closing: sound that still arrives is not transcribed. */
  #hasStopped = false
  /** Whether the caller is on hold or with somebody else: the models hear silence, and keys and texts are ignored. */
  #isOff = false
  /** Ends the wait for the user's last words, while a close waits for them. */
  #stopWaiting: (() => void) | undefined
  /** The terms that the STT listens for. */
  #keyTerms: readonly string[]

  constructor(context: SessionContext, answering: Answering, speaking: Speaking) {
    const { turns } = context.settings
    this.#context = context
    this.#answering = answering
    this.#speaking = speaking
    this.#machine = new TurnMachine(turnSettings(turns))
    this.#turns = new MachineShell(this.#machine, context.scope, {
      name: 'turn',
      carryOut: (command) => this.#carryOut(command),
    })
    context.turns = this
    this.#keyTerms = context.settings.agent.keyTerms
    answering.onAgent = this.#agentChanged.bind(this)
  }

  #agentChanged({ keyTerms }: Agent): void {
    if (keyTerms.join('\n') === this.#keyTerms.join('\n')) return
    this.#keyTerms = keyTerms
    this.#stt?.configure({ keyTerms })
  }

  async open(part: PartContext): Promise<void> {
    const { models, agent, hears } = this.#context.settings
    const formatOf = (offered: readonly AudioFormat[]): AudioFormat => nearestFormat(hears, offered)
    const { filter, stt, vad } = models
    const turnDetector = models.realtime ? undefined : models.turnDetector
    const opened: SessionContext['opened'] = (...args) => this.#context.opened(...args)
    const counting: SessionContext['counting'] = (...args) => this.#context.counting(...args)
    const failed = (where: string) => (error: unknown) => this.#context.failed(where, error)
    const stream = async (): Promise<void> => {
      const events = inlet('stt', sttShape, { push: (event) => this.#heard('stt', event) }, failed('stt'))
      const methods = ['push', 'flush', 'configure', 'detach'] as const
      if (!stt) return
      const format = formatOf(stt.hears)
      const setup = { format, keyTerms: agent.keyTerms }
      const open = await opened('stt', stt.open(counting(part, stt), events, setup), methods)
      this.#stt = shelter(open, ['flush', 'configure', 'detach'], failed('stt'))
      this.#models.push(newEar(open, format.sampleRate, failed('stt')))
    }
    const detector = async (): Promise<void> => {
      const events = inlet('vad', vadShape, { push: (event) => this.#heard('vad', event) }, failed('vad'))
      if (!vad) return
      const format = formatOf(vad.hears)
      const open = await opened('vad', vad.open(counting(part, vad), events, { format }), ['push'])
      // First: it notices that the caller speaks before the STT has words.
      this.#models.unshift(newEar(open, format.sampleRate, failed('vad')))
    }
    const judge = async (): Promise<void> => {
      if (!turnDetector) return
      const format = formatOf(turnDetector.hears ?? [hears])
      this.#judge = await opened(
        'turn detector',
        turnDetector.open(counting(part, turnDetector), { format }),
        ['finished'],
      )
    }
    const filtering = async (): Promise<void> => {
      if (!filter) return
      const open = await opened('filter', filter.open(counting(part, filter), { format: hears }), ['filter'])
      this.#filtering = this.#filterWith(open)
    }
    await Promise.all([filtering(), stream(), detector(), judge()])
  }

  #filterWith(filter: FilterStream): Filtering {
    const { line, hears } = this.#context.settings
    return new Filtering({
      filter,
      from: line.hears,
      to: hears,
      pass: (frame) => this.#listen(frame),
      now: () => this.#context.now,
      failed: (error) => this.#context.failed('filter', error),
    })
  }

  // ── input ──

  /** The caller's sound. */
  hear(frame: AudioFrame): void {
    if (this.#hasStopped) return
    const { tap, echo } = this.#context
    // Silence instead of nothing: a connection without sound would end, and the models must notice the end of a speech.
    const sound = this.#isOff ? silence(durationOf(frame), frame.sampleRate) : frame
    const heard = echo && this.#context.now < echo.until ? withoutKeys(sound, echo.keys) : sound
    tap?.hear(heard)
    if (this.#filtering) this.#filtering.push(heard)
    else this.#listen(heard)
  }

  #listen(frame: AudioFrame): void {
    let heard = frame
    for (let ear = this.#ear; ear; ear = ear.next) {
      if (ear.resampler) heard = { samples: ear.resampler.push(frame.samples), sampleRate: ear.rate }
      pushTo(ear.stream, heard, ear.failed)
    }
  }

  typed(text: string): void {
    if (this.#isOff) return
    this.#context.lifecycle.handle({ type: 'user-active' })
    this.#turns.handle({ type: 'typed', text })
  }

  pressed(digit: string): void {
    if (this.#isOff) return
    this.#context.lifecycle.handle({ type: 'user-active' })
    if (!this.#answering.keypad.press(digit)) this.#turns.handle({ type: 'digit', digit })
  }

  /** Passes an event to the turn machine: from the VAD, the STT, or about what the agent does. */
  handle(event: Untimed<TurnEvent>): void {
    this.#turns.handle(event)
    this.#context.tap?.notice(event)
    if (event.type === 'final' && !this.#machine.pendingWords.transcribing) this.#stopWaiting?.()
  }

  /** Handles everything the VAD and the STT report. */
  #heard(part: 'vad' | 'stt', event: EventOf<SttEvents> | EventOf<VadEvents>): void {
    const { events, settings, ends } = this.#context
    const now = settings.clock.now()
    switch (event[0]) {
      case 'started':
        if (event[1] === undefined) return this.handle({ type: 'stt-started' })
        // A pause within a turn does not begin another one.
        if (!this.#machine.isInTurn) this.#turnSound?.keep(event[1] + limits.turnPreRoll)
        return this.handle({ type: 'user-started', since: now - event[1] })
      case 'stopped':
        return this.handle({ type: 'user-stopped', since: now - event[1] })
      case 'interim':
        events.emit('hearing', { text: event[1] })
        return this.handle({ type: 'interim', text: event[1] })
      case 'final':
        events.emit('transcribed', { ...event[2], text: event[1] })
        return this.handle({ type: 'final', text: event[1] })
      case 'maybeEndOfTurn':
        return this.handle({ type: 'maybe-end-of-turn' })
      case 'resumed':
        return this.handle({ type: 'turn-resumed' })
      case 'usage':
        return this.#context.used(event[1], settings.models.stt!.name)
      case 'endOfTurn':
        return this.handle({ type: 'end-of-turn' })
      case 'failed':
        return ends.broken(part, event[1])
    }
  }

  // ── commands of the turn machine ──

  #carryOut(command: Exclude<TurnCommand, { type: 'set-timer' | 'clear-timer' }>): void {
    const { events, lifecycle, settings } = this.#context
    switch (command.type) {
      case 'flush-stt':
        return this.#stt?.flush()
      case 'judge':
        return this.#askDetector(command.text)
      case 'preempt':
        return this.#answering.prepare(command.text)
      case 'discard-preempt':
        return this.#answering.discard()
      case 'commit':
        return this.#answering.turn(command)
      case 'interrupt':
        return this.#answering.interrupt()
      case 'pause':
        return this.#speaking.pause()
      case 'resume':
        return this.#speaking.resume()
      case 'digits':
        return events.emit('digits', { digits: command.digits })
      case 'user-state':
        events.emit('user-state', { state: command.state })
        if (command.state !== 'silent' && settings.idleTimeout !== undefined)
          lifecycle.handle({ type: 'user-active' })
        return undefined
      case 'user-idle':
        return lifecycle.handle({ type: 'user-idle' })
    }
  }

  #askDetector(text: string): void {
    const judge = this.#judge
    if (!judge || !this.#context.isOpen) return this.#turns.handle({ type: 'judged', text })
    const { result } = this.#context.scope.spawn('turn detector', ({ signal }) =>
      judge.finished({ text, sound: [...(this.#turnSound?.frames ?? [])] }, signal),
    )
    result.then(
      (score) => this.#turns.handle({ type: 'judged', text, score }),
      () => this.#turns.handle({ type: 'judged', text }),
    )
  }

  // ── beginning and end ──

  /** Starts to listen and to take turns: the session is live, or live again after a cancelled goodbye. */
  takeTurns(): void {
    this.#ear ??= this.#openEars()
    this.#context.takesTurns = true
    this.#turns.handle({ type: 'live' })
  }

  #openEars(): ChainedEar | undefined {
    const { hears, models } = this.#context.settings
    const { ear } = this.#answering
    const detector = models.realtime ? undefined : models.turnDetector?.hears
    const ears = [...this.#models]
    const failed = (error: unknown): void => this.#context.failed('hearing', error)
    if (detector) {
      this.#turnSound = new SoundMemory(limits.turnSound)
      ears.push(newEar(this.#turnSound, nearestFormat(hears, detector).sampleRate, failed))
    }
    if (ear) ears.push(newEar(ear, ear.rate, failed))
    return chain(ears, hears.sampleRate)
  }

  /** The caller is on hold, or with somebody else: hears nothing, takes no turns, and nobody counts as idle (HD1). */
  turnOff(): void {
    this.#isOff = true
    this.#context.lifecycle.handle({ type: 'user-active' })
    this.stopTurns(false)
  }

  /** The caller is back. */
  turnOn(): void {
    this.#isOff = false
    this.takeTurns()
  }

  /** Ending: starts no new turns; the turn in flight goes on (CL3). */
  stopTurns(bargeIn: boolean): void {
    this.#context.takesTurns = false
    this.#turns.handle({ type: 'ending', bargeIn })
  }

  /** What the user has said that is not part of a turn. */
  get pendingWords(): PendingWords {
    return this.#machine.pendingWords
  }

  /** Has the STT finish its text. */
  flush(): void {
    this.#stt?.flush()
  }

  /** Adds what was heard to the history. It is not part of a turn: a machine has said it. */
  setAside(): void {
    const { history, settings } = this.#context
    // A realtime model writes the history itself.
    if (settings.turns.mode === 'realtime') return
    history.addUser(this.#machine.pendingWords.text, { at: settings.clock.date() })
    this.#turns.handle({ type: 'discard' })
  }

  /**
   * Closing: starts no more turns. If what the user said is still being transcribed, the close waits for it, unless the
   * session failed (CL6). `closeTimeout` is how long the close may take.
   */
  stop(reason: CloseReason, closeTimeout: number): void {
    const { scope, settings, now } = this.#context
    const { speaking } = this.#machine.pendingWords
    this.#hasStopped = true
    this.#context.takesTurns = false
    this.#turns.handle({ type: 'ending' })
    this.#filtering?.bypass()
    if (speaking) this.#turns.handle({ type: 'user-stopped', since: now })
    const ear = this.#stt ?? this.#answering.ear
    if (!this.#machine.pendingWords.transcribing || !ear) return
    // Must come before the scope closes the link: a closing link only sends its closing frames.
    ear.flush()
    ear.detach()
    if (!this.#machine.pendingWords.transcribing || failures.has(reason)) return
    // At most half of the time: the links need the other half to close.
    const wait = Math.min(settings.lastWordsTimeout, (closeTimeout * 0.9) / 2)
    scope.defer('last words', () => this.#lastWords(wait), { phase: 'work', cap: wait })
  }

  /** Waits for at most `timeout` until the user's words have been transcribed. */
  #lastWords(timeout: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#context.settings.clock.after(timeout, 'last words', () => this.#stopWaiting?.())
      const stop = (): void => {
        timer.clear()
        this.#stopWaiting = undefined
        resolve()
      }
      this.#stopWaiting = stop
      if (!this.#machine.pendingWords.transcribing) stop()
    })
  }

  /** Whether the user said something that is not part of a turn, or that the close is waiting for. */
  get hasLastWords(): boolean {
    return this.#stopWaiting !== undefined || this.#machine.pendingWords.text !== ''
  }

  /** Ends the wait for the last words, and adds what was transcribed to the history. */
  keepLastWords(): void {
    const { history, settings } = this.#context
    this.#stopWaiting?.()
    history.addUser(this.#machine.pendingWords.text, { at: settings.clock.date() })
  }
}

/** Silence if the frame has the tone of one of these keys: their echo is not speech (KY3). */
function withoutKeys(frame: AudioFrame, keys: string): AudioFrame {
  const key = keyIn(frame)
  return key !== undefined && keys.includes(key) ? silence(durationOf(frame), frame.sampleRate) : frame
}
