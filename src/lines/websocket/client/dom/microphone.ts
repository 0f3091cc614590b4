import type { CaptureEvent, CaptureOptions } from '../capture-worklet.ts'
import type { CallErrorCode } from '../call-events.ts'

/** Echo cancellation keeps the agent from interrupting itself through the loudspeaker. */
const wanted: MediaTrackConstraints = {
  echoCancellation: true,
  noiseSuppression: true,
  autoGainControl: true,
}

/** The microphone: requested before the call, and captured once the line has announced its sample rate. */
export class Microphone {
  readonly #stream: MediaStream
  #context: AudioContext | undefined
  #ownContext = false
  #node: AudioWorkletNode | undefined
  #closed = false

  private constructor(stream: MediaStream) {
    this.#stream = stream
  }

  /** Asks the user for permission. */
  static async ask(constraints: MediaTrackConstraints = {}): Promise<Microphone> {
    const audio = { ...wanted, ...constraints }
    return new Microphone(await navigator.mediaDevices.getUserMedia({ audio }))
  }

  /** For a connection that carries the sound by itself. */
  get track(): MediaStreamTrack | undefined {
    return this.#stream.getAudioTracks()[0]
  }

  /** A muted microphone sends silence. */
  set muted(muted: boolean) {
    for (const track of this.#stream.getTracks()) track.enabled = !muted
  }

  /** Starts to capture. Keeps the sound of `playing` out of it, if both can use the same audio context. */
  async listen(
    sampleRate: number,
    playing: AudioNode | undefined,
    emit: (event: CaptureEvent) => void,
  ): Promise<void> {
    const shared = playing?.context as AudioContext | undefined
    const { context, source } = this.#source(sampleRate, shared)
    this.#context = context
    this.#ownContext = context !== shared
    await context.audioWorklet.addModule(new URL('../capture-worklet.js', import.meta.url))
    if (this.#closed) return
    const processorOptions: CaptureOptions = { sampleRate }
    const inputs = { numberOfInputs: 2, numberOfOutputs: 0 }
    this.#node = new AudioWorkletNode(context, 'endwell-capture', { ...inputs, processorOptions })
    this.#node.port.addEventListener('message', ({ data }: MessageEvent<CaptureEvent>) => emit(data))
    this.#node.port.start()
    source.connect(this.#node)
    if (!this.#ownContext) playing?.connect(this.#node, 0, 1)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    for (const track of this.#stream.getTracks()) track.stop()
    this.#node?.port.postMessage('stop', [])
    this.#node?.port.close()
    if (this.#ownContext) await this.#context?.close()
  }

  /** Some browsers accept a microphone only in a context with its own rate: the worklet then changes the rate. */
  #source(
    sampleRate: number,
    shared: AudioContext | undefined,
  ): { context: AudioContext; source: AudioNode } {
    try {
      const context = shared ?? new AudioContext({ sampleRate })
      return { context, source: context.createMediaStreamSource(this.#stream) }
    } catch {
      const context = new AudioContext()
      return { context, source: context.createMediaStreamSource(this.#stream) }
    }
  }
}

/** Maps the browser's error to a code. */
export function microphoneError(error: unknown): CallErrorCode {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'MICROPHONE_DENIED'
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'MICROPHONE_MISSING'
  // A page that was not loaded over https has no media devices.
  return name === 'TypeError' ? 'MICROPHONE_MISSING' : 'MICROPHONE_FAILED'
}
