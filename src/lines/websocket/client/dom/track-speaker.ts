/** Plays the agent's voice from the track of a WebRTC connection. */
export class TrackSpeaker {
  readonly context = new AudioContext({ latencyHint: 'interactive' })
  /** Silent while the rest of an interrupted speech arrives. */
  readonly output: GainNode
  readonly #source: MediaStreamAudioSourceNode
  readonly #volume: GainNode
  readonly #element = new Audio()

  constructor(stream: MediaStream) {
    // Chromium lets the sound of a connection flow only if an element plays it.
    this.#element.muted = true
    this.#element.srcObject = stream
    this.#element.play().catch(() => {})
    this.#source = this.context.createMediaStreamSource(stream)
    this.output = this.context.createGain()
    this.#volume = this.context.createGain()
    this.#source.connect(this.output).connect(this.#volume).connect(this.context.destination)
  }

  /** From 0 to 1. It does not change `output`. */
  set volume(volume: number) {
    this.#volume.gain.value = volume
  }

  /** Whether the agent may be heard. */
  set isOpen(on: boolean) {
    this.output.gain.value = on ? 1 : 0
  }

  get isAudible(): boolean {
    return this.context.state === 'running'
  }

  async close(): Promise<void> {
    this.#element.srcObject = null
    this.#source.disconnect()
    await this.context.close()
  }
}
