import { Framer, SampleReader, bytesFromSamples, pcm, type AudioFrame } from '../../audio/index.ts'
import { PacedPlayout } from '../../lines/index.ts'
import type { Line, LineConnection, LineEvents, PartContext } from '../../parts/index.ts'
import { EndwellError, noop, type Scope } from '../../scope/index.ts'
import type { SoundCommand, SoundCommands } from './sound-commands.ts'
import type { SoundProgram, StartSound } from './sound-program.ts'

const RATE = 16_000

const limits = {
  /** For the recorder to write its first sound, and between two pieces of it. */
  silence: 5_000,
  /** Milliseconds of sound that a recorder may have written ahead of real time: what it had buffered. */
  early: 2_000,
  /** Milliseconds of sound that the player may leave unread. */
  unread: 2_000,
  /** Milliseconds of sound that the player gets ahead of time. An interruption cannot fetch it back. */
  ahead: 100,
  piece: 20,
}

export interface MicrophoneLineOptions {
  readonly commands: SoundCommands
  readonly start: StartSound
  /** Whether the microphone is muted while the agent speaks, because it hears the loudspeaker. */
  readonly halfDuplex: boolean
}

/**
 * A line to somebody at the microphone and the loudspeaker of this machine, through programs that record and play.
 *
 *   recorder ─ stdout ─▶ Framer ─▶ session ─▶ PacedPlayout ─▶ stdin ─ player
 *
 * Programs may be rude: one that ends, hangs, writes faster than a microphone or does not read ends the call with an error that names
 * it. They belong to the scope of the call, and are killed when it ends (TM3).
 */
export class MicrophoneLine implements Line {
  readonly name = 'microphone'
  readonly hears = pcm(RATE)
  readonly speaks = pcm(RATE)
  readonly #options: MicrophoneLineOptions
  /** Called when the caller may have heard more. */
  onHeard: () => void = noop
  #call: MicrophoneCall | undefined

  constructor(options: MicrophoneLineOptions) {
    this.#options = options
  }

  /** Resolves when the microphone works. */
  async open({ scope }: PartContext, events: LineEvents): Promise<LineConnection> {
    const call = new MicrophoneCall(this.#options, scope, events, () => this.onHeard())
    this.#call = call
    await scope.until(call.begun)
    return call
  }

  hangUp(): void {
    this.#call?.hangUp()
  }
}

class MicrophoneCall implements LineConnection {
  readonly begun: Promise<void>
  readonly #scope: Scope<string>
  readonly #options: MicrophoneLineOptions
  readonly #reader = new SampleReader()
  readonly #framer = new Framer({ sampleRate: RATE, duration: limits.piece })
  readonly #playout = new PacedPlayout({ sampleRate: RATE, ahead: limits.ahead, piece: limits.piece })
  readonly #player: SoundProgram
  readonly #onHeard: () => void
  #events: LineEvents | undefined
  #begin: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined
  /** When the first sound came, and how much has come since then, in milliseconds. */
  #began: number | undefined
  #recorded = 0
  #lastSound: number

  constructor(options: MicrophoneLineOptions, scope: Scope<string>, events: LineEvents, onHeard: () => void) {
    const { commands, start } = options
    this.#options = options
    this.#scope = scope
    this.#events = events
    this.#onHeard = onHeard
    this.begun = new Promise((resolve, reject) => (this.#begin = { resolve, reject }))
    // The scope may close first.
    this.begun.catch(noop)
    this.#lastSound = scope.clock.now()
    this.#player = this.#own('loudspeaker', commands.player, start, noop)
    this.#own('microphone', commands.recorder, start, (bytes) => this.#record(bytes))
    scope.every(limits.piece, 'sound for the loudspeaker', () => this.#send())
  }

  play(frame: AudioFrame): void {
    if (!this.#playout.play(frame, this.#now())) this.#fail('too much sound waits for the loudspeaker')
    this.#send()
  }

  mark(id: number): void {
    this.#playout.mark(id)
    this.#send()
  }

  clear(): void {
    this.#playout.clear(this.#now())
    this.#send()
  }

  hangUp(): void {
    const events = this.#events
    this.#events = undefined
    events?.hungUp()
  }

  #own(
    name: string,
    command: SoundCommand,
    start: StartSound,
    data: (bytes: Uint8Array) => void,
  ): SoundProgram {
    const program = start(command, { data, ended: (how) => this.#fail(`the ${name} failed: ${how}`) })
    return this.#scope.own(name, program)
  }

  #now(): number {
    return this.#scope.clock.now()
  }

  #record(bytes: Uint8Array): void {
    const now = this.#now()
    const samples = this.#reader.push(bytes)
    this.#began ??= now
    this.#lastSound = now
    this.#recorded += (samples.length * 1_000) / RATE
    if (this.#recorded - (now - this.#began) > limits.early) {
      const { program } = this.#options.commands.recorder
      return this.#fail(`${program} writes sound faster than a microphone does`)
    }
    this.#begin?.resolve()
    const isMuted = this.#options.halfDuplex && this.#playout.unheard > 0
    for (const frame of this.#framer.push(samples))
      this.#events?.frame(isMuted ? { ...frame, samples: new Int16Array(frame.samples.length) } : frame)
    return undefined
  }

  #send(): void {
    const now = this.#now()
    for (let next = this.#playout.next(now); next; next = this.#playout.next(now)) {
      if ('reached' in next) for (const { id, heard } of next.reached) this.#events?.marked(id, heard, true)
      else this.#player.write(bytesFromSamples(next.samples))
    }
    this.#onHeard()
    const { recorder, player } = this.#options.commands
    if (this.#player.unread > (limits.unread * RATE * 2) / 1_000)
      this.#fail(`${player.program} does not play what it gets`)
    if (now - this.#lastSound > limits.silence)
      this.#fail(`${recorder.program} has recorded nothing for ${limits.silence / 1_000} s`)
  }

  #fail(what: string): void {
    const advice =
      this.#began === undefined
        ? '. Check that this machine has a microphone and a loudspeaker, name other programs with --recorder and --player, or use endwell chat'
        : ''
    const error = new EndwellError('SOUND_PROGRAM_FAILED', `${what}${advice}`)
    const events = this.#events
    this.#events = undefined
    this.#begin?.reject(error)
    if (this.#began !== undefined) events?.lost(error)
  }
}
