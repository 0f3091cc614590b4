import type { PlaybackNews, PlaybackOrder } from '../playback-worklet.ts'

export interface LoudspeakerEvents {
  news(news: PlaybackNews): void
  /** Sound comes out, or does not any more. */
  sounding(on: boolean): void
}

/** What the page plays. Its context has the rate of the line, so that every sample is counted as it was sent. */
export class Loudspeaker {
  readonly context: AudioContext
  readonly output: AudioWorkletNode
  /** How far it is, and how far what it has reaches, in positions. */
  readonly place = { played: 0, buffered: 0 }

  private constructor(context: AudioContext, events: LoudspeakerEvents) {
    this.context = context
    this.output = new AudioWorkletNode(context, 'endwell-playback', {
      numberOfInputs: 0,
      outputChannelCount: [1],
    })
    const { port } = this.output
    port.addEventListener('message', ({ data }: MessageEvent<PlaybackNews>) => {
      if (data.type === 'played') this.place.played = data.at
      events.news(data)
    })
    port.start()
    context.addEventListener('statechange', () => {
      if (context.state !== 'closed') events.sounding(this.sounds)
    })
    this.output.connect(context.destination)
  }

  static async open(sampleRate: number, events: LoudspeakerEvents): Promise<Loudspeaker> {
    const context = new AudioContext({ sampleRate, latencyHint: 'interactive' })
    try {
      await context.audioWorklet.addModule(new URL('../playback-worklet.js', import.meta.url))
      return new Loudspeaker(context, events)
    } catch (error) {
      await context.close()
      throw error
    }
  }

  get sounds(): boolean {
    return this.context.state === 'running'
  }

  sound(position: number, samples: Int16Array<ArrayBuffer>): void {
    this.place.buffered = Math.max(this.place.buffered, position + samples.length)
    this.#order({ type: 'sound', position, samples }, [samples.buffer])
  }

  mark(id: number, at: number): void {
    this.#order({ type: 'mark', id, at })
  }

  clear(at: number): void {
    this.place.buffered = Math.max(this.place.buffered, at)
    this.#order({ type: 'clear', at })
  }

  async close(): Promise<void> {
    this.#order({ type: 'stop' })
    this.output.port.close()
    this.output.disconnect()
    await this.context.close()
  }

  #order(order: PlaybackOrder, transfer: Transferable[] = []): void {
    this.output.port.postMessage(order, transfer)
  }
}
