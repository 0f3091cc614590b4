import type { PlaybackEvent, PlaybackCommand } from '../playback-worklet.ts'

export interface LoudspeakerEvents {
  played(event: PlaybackEvent): void
  /** The page can play sound, or no longer can. */
  audible(on: boolean): void
}

/** Plays the agent's sound. Its audio context has the sample rate of the line, so that every sample is counted as it was sent. */
export class Loudspeaker {
  readonly context: AudioContext
  readonly output: AudioWorkletNode
  readonly #gain: GainNode
  /** The positions up to which sound was played, and up to which it is buffered. */
  readonly place = { played: 0, buffered: 0 }

  private constructor(context: AudioContext, events: LoudspeakerEvents) {
    this.context = context
    this.output = new AudioWorkletNode(context, 'endwell-playback', {
      numberOfInputs: 0,
      outputChannelCount: [1],
    })
    const { port } = this.output
    port.addEventListener('message', ({ data }: MessageEvent<PlaybackEvent>) => {
      if (data.type === 'played') this.place.played = data.at
      events.played(data)
    })
    port.start()
    context.addEventListener('statechange', () => {
      if (context.state !== 'closed') events.audible(this.isAudible)
    })
    this.#gain = context.createGain()
    this.output.connect(this.#gain).connect(context.destination)
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

  /** From 0 to 1. It does not change `output`. */
  set volume(volume: number) {
    this.#gain.gain.value = volume
  }

  get isAudible(): boolean {
    return this.context.state === 'running'
  }

  sound(position: number, samples: Int16Array<ArrayBuffer>): void {
    this.place.buffered = Math.max(this.place.buffered, position + samples.length)
    this.#post({ type: 'sound', position, samples }, [samples.buffer])
  }

  mark(id: number, at: number): void {
    this.#post({ type: 'mark', id, at })
  }

  clear(at: number): void {
    this.place.buffered = Math.max(this.place.buffered, at)
    this.#post({ type: 'clear', at })
  }

  async close(): Promise<void> {
    this.#post({ type: 'stop' })
    this.output.port.close()
    this.output.disconnect()
    this.#gain.disconnect()
    await this.context.close()
  }

  #post(command: PlaybackCommand, transfer: Transferable[] = []): void {
    this.output.port.postMessage(command, transfer)
  }
}
