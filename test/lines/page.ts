import type { Clock, Timer } from '../../src/scope/index.ts'
import { sine, type SampleRate } from '../../src/audio/index.ts'
import { Playout, type PlaybackNews } from '../../src/lines/websocket/client/playback-worklet.ts'
import { Wire, type CallEnd, type Hello, type Platform } from '../../src/lines/websocket/client/wire.ts'
import type { Ticket } from '../../src/lines/websocket/protocol.ts'
import { outsideTimer } from '../../src/testing/outside-timer.ts'

/** Milliseconds that the loudspeaker renders at a time. */
const QUANTUM = 10

export interface PageOptions {
  readonly token?: string
  readonly ticket?: Ticket
  /** Whether sound comes out: yes unless false. */
  readonly sound?: boolean
}

/** A page without a browser: the client's own wire and loudspeaker, in whatever time the clock has. */
export class TestPage {
  readonly wire: Wire
  readonly ends: CallEnd[] = []
  hello: Hello | undefined
  rejoinings = 0
  /** What came out, and when. */
  readonly heard: { readonly at: number; readonly samples: Int16Array }[] = []
  readonly #clock: Clock
  readonly #playout: Playout | undefined
  readonly #changed = new Set<() => void>()
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
    this.#playout = new Playout(this.#rate, (news) => this.#news(news))
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
        rejoining: () => {
          this.rejoinings++
          this.#tell()
        },
        ended: (end) => {
          this.ends.push(end)
          this.stop()
          this.#tell()
        },
      },
    )
  }

  get over(): boolean {
    return this.ends.length > 0
  }

  /** Speaks for so long: a frame arrives when it has been said. */
  says(ms: number): void {
    const frame = sine(300, { sampleRate: this.#rate, duration: 20 })
    const begins = this.#clock.now()
    for (let at = 20; at <= ms; at += 20)
      outsideTimer(this.#clock, begins + at - this.#clock.now(), 'the caller speaks', () => {
        if (!this.#frozen) this.wire.sendSound(frame.samples.slice())
      })
  }

  /** Sound comes out, or does not any more. */
  soundIs(on: boolean): void {
    this.#sound = on
    this.wire.send({ type: 'sound', on })
  }

  /** The loudspeaker stands still, and nobody answers. */
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
        this.#changed.delete(look)
        resolve()
      }
      this.#changed.add(look)
      look()
    })
  }

  /** Milliseconds of sound that came out after a moment. */
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
    this.#tell()
  }

  #news(news: PlaybackNews): void {
    if (news.type === 'played') {
      this.#place.played = news.at
      this.wire.send({ type: 'played', at: news.at })
    } else if (news.type === 'marked') this.wire.send({ type: 'marked', id: news.id, heard: news.heard })
  }

  #renderNext(): void {
    this.#loop = outsideTimer(this.#clock, QUANTUM, 'the loudspeaker renders', () => {
      this.#renderNext()
      // Timers of a real clock are late, and a loudspeaker is not.
      for (; this.#renderedTo + QUANTUM <= this.#clock.now(); this.#renderedTo += QUANTUM) this.#render()
      this.#tell()
    })
  }

  #render(): void {
    if (!this.#sound || this.#frozen) return
    const output = new Float32Array((this.#rate * QUANTUM) / 1000)
    this.#playout?.render(output)
    if (output.every((sample) => sample === 0)) return
    this.heard.push({ at: this.#renderedTo, samples: Int16Array.from(output, (sample) => sample * 32768) })
  }

  #tell(): void {
    for (const look of this.#changed) look()
  }
}
