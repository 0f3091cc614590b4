import type { CaptureNews, CaptureOptions } from '../capture-worklet.ts'
import type { CallErrorCode } from '../call-events.ts'

/** The browser cancels the echo of its own sound, so that the agent does not interrupt itself on a loudspeaker. */
const wanted: MediaTrackConstraints = {
  echoCancellation: true,
  noiseSuppression: true,
  autoGainControl: true,
}

/** The microphone: asked for before the call, heard once the line has said at which rate. */
export class Microphone {
  readonly #stream: MediaStream
  #context: AudioContext | undefined
  #ownContext = false
  #node: AudioWorkletNode | undefined
  #closed = false

  private constructor(stream: MediaStream) {
    this.#stream = stream
  }

  /** Asks the user. */
  static async ask(constraints: MediaTrackConstraints = {}): Promise<Microphone> {
    const audio = { ...wanted, ...constraints }
    return new Microphone(await navigator.mediaDevices.getUserMedia({ audio }))
  }

  /** A microphone that is muted sends silence. */
  set muted(muted: boolean) {
    for (const track of this.#stream.getTracks()) track.enabled = !muted
  }

  /** Begins to hear. What comes out of `playing` is kept out of what is heard, where both can be of one context. */
  async listen(
    sampleRate: number,
    playing: AudioNode | undefined,
    news: (news: CaptureNews) => void,
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
    this.#node.port.addEventListener('message', ({ data }: MessageEvent<CaptureNews>) => news(data))
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

  /** Some browsers take a microphone only into a context of its own rate: then the worklet changes the rate. */
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

/** What went wrong, by the names that browsers have for it. */
export function microphoneError(error: unknown): CallErrorCode {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'MICROPHONE_DENIED'
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'MICROPHONE_MISSING'
  // A page that did not come over https has no devices at all.
  return name === 'TypeError' ? 'MICROPHONE_MISSING' : 'MICROPHONE_FAILED'
}
