import type { Clock, Timer } from '../../src/scope/index.ts'
import { sine, type SampleRate } from '../../src/audio/index.ts'
import { Playout, type PlaybackEvent } from '../../src/lines/websocket/client/playback-worklet.ts'
import { emptyTranscript, nextTranscript } from '../../src/lines/websocket/client/transcript.ts'
import { Wire, type CallEnd, type Hello, type Platform } from '../../src/lines/websocket/client/wire.ts'
import type { Ticket } from '../../src/lines/websocket/protocol.ts'
import { outsideTimer } from '../../src/testing/outside-timer.ts'

/** Milliseconds that the page renders at a time. */
const QUANTUM = 10

export interface PageOptions {
  readonly token?: string
  readonly ticket?: Ticket
  /** Whether the page can play sound. Default: true. */
  readonly sound?: boolean
}

/** A page without a browser: the client's wire and playout, in the time of a given clock. */
export class TestPage {
  readonly wire: Wire
  readonly ends: CallEnd[] = []
  hello: Hello | undefined
  rejoinings = 0
  transcript = emptyTranscript
  transcriptMessages = 0
  /** The sound that was played, and when. */
  readonly heard: { readonly at: number; readonly samples: Int16Array }[] = []
  readonly #clock: Clock
  readonly #playout: Playout | undefined
  readonly #looks = new Set<() => void>()
  #rate: SampleRate = 16_000
  #place = { played: 0, buffered: 0 }
  #joins = 0
  #sound: boolean
  #loop: Timer | undefined
  #renderedTo = 0
  #frozen = false

  constructor(clock: Clock, platform: Platform, url: string, { sound = true, ...rest }: PageOptions = {}) {
    this.#clock = clock
    this.#sound = sound
    this.#playout = new Playout(this.#rate, (event) => this.#played(event))
    this.wire = new Wire(
      platform,
      { url, ...rest },
      {
        joined: (hello) => this.#joined(hello),
        sound: (position, samples) => {
          this.#place.buffered = Math.max(this.#place.buffered, position + samples.length)
          this.#playout?.sound(position, samples)
        },
        mark: (id, at) => this.#playout?.mark(id, at),
        clear: (at) => {
          this.#place.buffered = Math.max(this.#place.buffered, at)
          this.#playout?.clear(at)
        },
        transcript: (message) => {
          this.transcript = nextTranscript(this.transcript, message)
          this.transcriptMessages++
        },
        rejoining: () => {
          this.rejoinings++
          this.#changed()
        },
        ended: (end) => {
          this.ends.push(end)
          this.stop()
          this.#changed()
        },
      },
    )
  }

  get over(): boolean {
    return this.ends.length > 0
  }

  /** Speaks the sound, or a tone for so many milliseconds. Each frame is sent when it has been spoken. */
  says(sound: number | Int16Array): void {
    const samples =
      typeof sound === 'number' ? sine(300, { sampleRate: this.#rate, duration: sound }).samples : sound
    const length = this.#rate / 50
    for (let from = 0; from + length <= samples.length; from += length)
      outsideTimer(this.#clock, ((from + length) * 1000) / this.#rate, 'the caller speaks', () => {
        if (!this.#frozen) this.wire.sendSound(Int16Array.from(samples.subarray(from, from + length)))
      })
  }

  /** The page can play sound, or no longer can. */
  setAudible(on: boolean): void {
    this.#sound = on
    this.wire.send({ type: 'sound', on })
  }

  /** The page freezes: it plays nothing and answers nothing. */
  freezes(): void {
    this.#frozen = true
    this.stop()
  }

  stop(): void {
    this.#loop?.clear()
    this.#loop = undefined
  }

  /** Resolves as soon as `met` holds. */
  until(met: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!met()) return
        this.#looks.delete(look)
        resolve()
      }
      this.#looks.add(look)
      look()
    })
  }

  /** Milliseconds of sound that were played after a moment. */
  audibleAfter(moment: number): number {
    const samples = this.heard.filter(({ at }) => at > moment).flatMap(({ samples: each }) => [...each])
    return (samples.filter((sample) => sample !== 0).length * 1000) / this.#rate
  }

  #joined(hello: Hello): void {
    this.hello = hello
    this.#joins++
    if (!this.#loop) {
      this.#renderedTo = this.#clock.now()
      this.#renderNext()
    }
    this.wire.ready(this.#joins > 1 ? { sound: this.#sound, ...this.#place } : { sound: this.#sound })
    this.#changed()
  }

  #played(event: PlaybackEvent): void {
    if (event.type === 'played') this.#place.played = event.at
    if (event.type !== 'speaking') this.wire.send(event)
  }

  #renderNext(): void {
    this.#loop = outsideTimer(this.#clock, QUANTUM, 'the page renders', () => {
      this.#renderNext()
      // Timers of a real clock are late; a loudspeaker is not.
      for (; this.#renderedTo + QUANTUM <= this.#clock.now(); this.#renderedTo += QUANTUM) this.#render()
      this.#changed()
    })
  }

  #render(): void {
    if (!this.#sound || this.#frozen) return
    const output = new Float32Array((this.#rate * QUANTUM) / 1000)
    this.#playout?.render(output)
    if (output.every((sample) => sample === 0)) return
    this.heard.push({ at: this.#renderedTo, samples: Int16Array.from(output, (sample) => sample * 32768) })
  }

  #changed(): void {
    for (const look of this.#looks) look()
  }
}
