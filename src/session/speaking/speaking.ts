import { PlayoutClock, durationOf, keyDuration, nearestFormat, type AudioFrame } from '../../audio/index.ts'
import type { LineConnection, PartContext } from '../../parts/index.ts'
import { MachineShell, noop, type TaskContext } from '../../scope/index.ts'
import type { Agent } from '../answering/agent.ts'
import type { SessionContext } from '../context.ts'
import { SpeechStalledError } from '../errors.ts'
import { limits } from '../limits.ts'
import { SpeechTiming } from '../turn-timing.ts'
import { Ambience } from './ambience.ts'
import { Delivery, pressOutcome, type DeliveryOptions, type DeliveryVoice } from './delivery.ts'
import { PlayoutMachine, type PlayoutCommand, type PlayoutEvent } from './playout-machine.ts'
import type { SoundOptions } from './sound-loop.ts'
import { Speech, type PressOutcome, type SpeechOptions } from './speech.ts'

/** How long the echo of a key may be heard after the key, in milliseconds. */
const ECHO = 500

/**
 * The third station: plays the agent's speeches to the line, one after the other, and tracks how much of each was heard.
 *
 *   Answering ─ words or sound ─▶ queue ─▶ voice ─▶ resampler ─▶ line
 *                                   ▲ PlayoutMachine: what is next, when it has ended      │
 *                                   └── mark back: how much was heard ◀── PlayoutClock ◀───┘
 *
 * It notifies the turn machine when the agent becomes audible and when it stops.
 */
export class Speaking {
  readonly #context: SessionContext
  readonly #machine: PlayoutMachine
  readonly #shell: MachineShell<PlayoutEvent, PlayoutCommand>
  readonly #playout = new PlayoutClock()
  /** Speeches that have not ended. */
  readonly #deliveries = new Map<number, Delivery>()
  /** The voices of agents that have their own. Kept by `Agents`. */
  readonly voices = new WeakMap<Agent, DeliveryVoice>()
  #lastId = 0
  /** The speech that the turn machine knows to be audible. */
  #audible: Delivery | undefined
  #line!: LineConnection
  /** Undefined if the session has no sounds. */
  #ambience: Ambience | undefined
  #voice!: DeliveryVoice

  constructor(context: SessionContext) {
    const { settings, scope } = context
    const { playoutTimeout, stallTimeout, turns } = settings
    const pauses = turns.falseInterruption !== undefined
    this.#context = context
    this.#machine = new PlayoutMachine({ playoutTimeout, stallTimeout, pauses })
    this.#shell = new MachineShell(this.#machine, scope, {
      name: 'speech',
      carryOut: (command) => this.#carryOut(command),
      timerEvent: (timer, due) => ({ type: 'timer', timer, due, soundUntil: this.#soundUntil }),
    })
  }

  /** Opens the TTS. A realtime model sets its own voice with `useVoice`. */
  async open(part: PartContext): Promise<void> {
    const { line, models } = this.#context.settings
    const { tts } = models
    if (!tts) return
    const format = nearestFormat(line.speaks, tts.speaks)
    this.#voice = await this.#context.opened('tts', tts.open(this.#context.counting(part, tts), { format }), [
      'speak',
    ])
  }

  useVoice(voice: DeliveryVoice): void {
    this.#voice = voice
  }

  /** Sets the line to play to. */
  connect(line: LineConnection): void {
    const { sounds } = this.#context.settings
    this.#line = line
    if (sounds) this.#ambience = new Ambience(this.#context, this.#playout, line, sounds)
  }

  /** The speech that is audible, or will be next. */
  get current(): Speech | undefined {
    return this.#deliveries.get(this.#machine.current ?? 0)?.speech
  }

  /** The queued speeches, the next one first. */
  get waiting(): readonly Speech[] {
    return this.#machine.queue.flatMap((id) => this.#deliveries.get(id)?.speech ?? [])
  }

  get isIdle(): boolean {
    return this.#machine.isIdle
  }

  /** Whether no more speeches can be queued. */
  get isFull(): boolean {
    return this.#machine.queue.length >= limits.queuedSpeeches
  }

  /** When everything on the line should have been heard. */
  get endsAt(): number | undefined {
    // Background sound is no progress.
    return this.#ambience ? this.#soundUntil : this.#playout.endsAt
  }

  // ── requests from other stations ──

  /** Speaks words as they arrive, with the voice of the agent or else the session's. */
  say(
    words: AsyncIterable<string>,
    options: Omit<DeliveryOptions, 'source'>,
    speech?: SpeechOptions,
  ): Delivery {
    const own = this.voices.get(options.agent)
    const tts = own ? options.agent.tts : this.#context.settings.models.tts
    const { agent, reply, attached, watch } = options
    const source = { words, voice: own ?? this.#voice, tts: tts?.name }
    return this.play({ agent, reply, attached, watch, source }, speech)
  }

  /** Queues a speech. */
  play(options: DeliveryOptions, speechOptions: SpeechOptions = {}): Delivery {
    const { reply } = options
    const interrupt = ({ id }: Speech): void => this.#shell.handle({ type: 'interrupt', id })
    // Interrupting one speech of a reply interrupts the whole reply.
    const onInterrupt = reply && ((): void => reply.interrupt({ force: true }))
    const words = { text: '' }
    const speech = new Speech(++this.#lastId, speechOptions, words, interrupt, onInterrupt)
    reply?.speeches.push(speech)
    // The current speech is heard before this reply, so its place in the history comes first, even if its sound is late.
    if (reply) this.#deliveries.get(this.#machine.current ?? 0)?.takePlace()
    const delivery = new Delivery(this.#context, speech, words, options)
    this.#deliveries.set(speech.id, delivery)
    const { book, now } = this.#context
    // Keys are no answer.
    if (book.waiting && delivery.keys === undefined) {
      const timing = new SpeechTiming()
      timing.turn = book.waiting
      timing.turn.speeches++
      timing.by = reply ? 'reply' : 'say'
      timing.isModelSound = 'sound' in options.source
      timing.queuedAt = now
      if (this.#machine.isIdle) timing.begunAt = now
      delivery.timing = timing
    }
    this.#shell.handle({ type: 'queue', id: speech.id, priority: speech.priority })
    return delivery
  }

  /** Presses telephone keys after what is queued, by the line itself if it can, otherwise as tones (KY1). */
  async press(keys: string, agent: Agent): Promise<PressOutcome> {
    const { speech } = this.play({ agent, source: { keys } }, { interruptible: false })
    return pressOutcome(await speech.waitForPlayout())
  }

  /** Silences the current speech because the caller may be interrupting. It can be resumed (SP9). */
  pause(): void {
    this.#shell.handle({ type: 'pause' })
  }

  /** Resumes after a false interruption, with the first word that was not completely heard. */
  resume(): void {
    this.#shell.handle({ type: 'resume' })
  }

  /** Whether to wait for a line that has failed to confirm before, because it is hung up after the current speech. */
  waitForLine(wait: boolean): void {
    this.#shell.handle({ type: 'wait-for-line', wait })
  }

  /** The caller is with somebody else, or is back: meanwhile no background is played, and what is to be said waits (TR1). */
  callerIsAway(away: boolean): void {
    this.#shell.handle({ type: 'away', away })
    this.#ambience?.callerIsAway(away)
  }

  /** Plays a sound to a caller on hold, behind what the agent is saying; without one, the hold has ended (HD1). */
  hold(sound: SoundOptions | undefined): void {
    if (!this.#ambience) {
      this.#ambience = new Ambience(this.#context, this.#playout, this.#line, {})
      if (this.#audible) this.#ambience.voiceStarts()
      if (this.#audible?.mark !== undefined) this.#ambience.voiceSent()
    }
    this.#ambience.hold(sound)
  }

  /** Updates the history with what has been heard of the current speech, for the next reply. */
  noteHeard(): void {
    this.#deliveries.get(this.#machine.current ?? 0)?.noteHeard()
  }

  /** Resolves when the agent has stopped speaking. Every speech ends in bounded time (AG3). */
  async finished(): Promise<void> {
    const { scope } = this.#context
    for (let speech = this.current; speech; speech = this.current) {
      await scope.until(speech.waitForPlayout()).catch(noop)
      if (scope.state !== 'live') return
    }
  }

  /** The line returned a mark. `assumed`: it infers from the time that the sound was heard. */
  marked(mark: number, heard: number | undefined, assumed = false): void {
    if (!this.#playout.marked(mark, heard, this.#context.now, assumed)) return
    let id: number | undefined
    for (const delivery of this.#deliveries.values()) {
      if (delivery.mark === mark) id = delivery.speech.id
      const { timing } = delivery
      // After a clear, a mark comes back although its sound may not have been heard.
      if (timing?.mark !== mark || delivery.speech.interrupted || this.#machine.isPaused) continue
      timing.heardAt = Math.max(timing.heardAt, this.#context.now - timing.sound)
      timing.isConfirmed = !assumed
      delivery.timing = undefined
      this.#context.events.emit('latency', { ...timing.latency, speech: delivery.speech })
    }
    this.#shell.handle({ type: 'confirmed', id, assumed })
  }

  /** Closing: silences the line and ends every speech now (CL9, CL10). */
  mute(): void {
    this.#ambience?.stop()
    this.#shell.handle({ type: 'mute' })
    for (const speech of this.waiting) speech.interrupt({ force: true })
    this.current?.interrupt({ force: true })
    this.#shell.handle({ type: 'silence' })
    // Even if nothing should be audible: a line that did not confirm may lag behind.
    this.#context.recorder?.clear()
    this.#line.clear()
  }

  // ── commands of the playout machine ──

  #carryOut(command: Exclude<PlayoutCommand, { type: 'set-timer' | 'clear-timer' }>): void {
    const { now, echo } = this.#context
    const { id } = command
    const delivery = this.#deliveries.get(id)
    // A listener called by an earlier command may have ended the speech.
    if (!delivery) return undefined
    switch (command.type) {
      case 'deliver':
        return this.#deliver(delivery)
      case 'stop':
        if (command.stalled)
          delivery.failure = { error: new SpeechStalledError(id, this.#context.settings.stallTimeout) }
        return delivery.task?.cancel(command.stalled ? 'stalled' : 'interrupted')
      case 'finish':
        delivery.mark = this.#playout.mark(now)
        this.#line.mark(delivery.mark)
        return this.#ambience?.voiceSent()
      case 'clear':
        return this.#clear(delivery, command.audible, command.paused)
      case 'send-again':
        this.#ambience?.voiceStarts()
        for (const frame of delivery.resume(this.#playout.begin())) this.#send(delivery, frame)
        return this.#shell.handle({ type: 'sent-again', id, endsAt: delivery.stretch?.endsAt ?? 0 })
      case 'end':
        this.#deliveries.delete(id)
        if (delivery.timing?.mark !== undefined) this.#estimateLatency(delivery, delivery.timing)
        if (echo && delivery.keys !== undefined) echo.until = now + ECHO
        delivery.end(command.how, command.confirmed)
        // The turn machine does not know about speeches that were never audible, or that another one has replaced.
        if (this.#audible === delivery) {
          this.#audible = undefined
          this.#ambience?.voiceEnded()
          const how = delivery.speech.interrupted ? 'interrupted' : 'finished'
          this.#context.turns.handle({ type: 'agent-stopped', how })
        }
        return this.#context.onFinished?.()
    }
  }

  #deliver(delivery: Delivery): void {
    const { id } = delivery.speech
    if (delivery.timing) delivery.timing.begunAt ||= this.#context.now
    delivery.task = this.#context.scope.spawn(`speech ${id}`, (task) => this.#make(delivery, task))
    // The source may have interrupted the speech as soon as it was started.
    if (delivery.speech.interrupted) delivery.task.cancel('interrupted')
  }

  async #make(delivery: Delivery, task: TaskContext): Promise<void> {
    const { id, ended } = delivery.speech
    try {
      const pause = this.#context.burst.next(task.sleep)
      if (pause) await pause
      const { keys } = delivery
      if (keys !== undefined) this.#context.echo = { keys, until: Infinity }
      if (keys !== undefined && this.#context.line?.press) await this.#pressOnLine(delivery, keys, task)
      else
        for await (const frame of delivery.sound(task)) {
          delivery.madeAt = this.#context.now
          this.#send(delivery, frame)
        }
    } catch (error) {
      if (task.cancelled) throw error
      delivery.failure = { error }
    }
    const endsAt = delivery.stretch?.endsAt ?? 0
    this.#shell.handle({ type: 'made', id, endsAt, failed: delivery.failure !== undefined })
    // The task lasts as long as the speech is audible, so that a report names it.
    await task.until(ended)
  }

  async #pressOnLine(delivery: Delivery, keys: string, task: TaskContext): Promise<void> {
    // Counts as progress for as long as it takes.
    delivery.madeAt += keyDuration(keys)
    this.#context.movedAt = delivery.madeAt
    this.#ambience?.voiceStarts()
    try {
      // Not sheltered: its failure is the outcome of the keys.
      await task.until(this.#context.line!.press!(keys))
    } finally {
      this.#ambience?.voiceEnded()
    }
    delivery.pressedByLine()
  }

  #send(delivery: Delivery, frame: AudioFrame): void {
    const { speech } = delivery
    const ms = durationOf(frame)
    if (this.#machine.current !== speech.id || this.#machine.isPaused || ms === 0) return
    const { recorder, book, events, settings, turns, now } = this.#context
    const isFirst = delivery.stretch === undefined
    if (isFirst) this.#ambience?.voiceStarts()
    delivery.stretch ??= this.#playout.begin()
    const at = this.#playout.play(ms, now)
    const heard = delivery.keys === undefined ? (this.#ambience?.under(frame) ?? frame) : frame
    this.#line.play(heard)
    this.#context.movedAt = now
    recorder?.agent(heard, at)
    book.sound += ms
    if (settings.budget?.sound !== undefined) this.#context.spent()
    if (!isFirst) return
    delivery.takePlace()
    this.#audible = delivery
    this.#shell.handle({ type: 'sounding', id: speech.id })
    turns.handle({ type: 'agent-started', interruptible: speech.interruptible })
    if (delivery.keys === undefined) events.emit('speaking', { speech })
    const { timing } = delivery
    if (!timing || timing.turn !== book.waiting) return
    book.waiting = undefined
    timing.madeAt = now
    timing.heardAt = at
    timing.sound = ms
    timing.mark = this.#playout.mark(now)
    // An estimate, until the line confirms it.
    book.turns.push(timing)
    this.#line.mark(timing.mark)
  }

  /** The line has not confirmed the first sound of an answer that has ended. If nothing was heard, there is no latency. */
  #estimateLatency({ heard, speech }: Delivery, timing: SpeechTiming): void {
    const { book, events } = this.#context
    if (heard > 0) return events.emit('latency', { ...timing.latency, speech })
    book.turns.splice(book.turns.indexOf(timing), 1)
  }

  /** Clears the line's queue. The mark is sent first: it comes back when the sound has really stopped. */
  #clear(delivery: Delivery, audible: boolean, paused: boolean): void {
    const { now, recorder } = this.#context
    if (!paused) delivery.cut()
    if (audible) {
      delivery.mark = this.#playout.mark(now)
      this.#line.mark(delivery.mark)
    }
    this.#playout.clear(now)
    recorder?.clear()
    // Last, because a line may confirm from inside `clear()`.
    this.#line.clear()
    if (paused) this.#ambience?.voicePaused()
    else delivery.noteHeard()
  }

  /** When the current speech last made progress: sound made, or sound still to be heard. */
  get #soundUntil(): number {
    const delivery = this.#deliveries.get(this.#machine.current ?? 0)
    return Math.max(delivery?.madeAt ?? 0, delivery?.stretch?.endsAt ?? 0)
  }
}
