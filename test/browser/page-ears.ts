/**
 * Records the sound of a page, and can replace its microphone. It runs in the page before the page's own scripts, and
 * tests call `ears` through `page.evaluate`.
 */

import type { Room } from './room.ts'

/** The output of one render quantum. */
interface Chunk {
  /** By the clock of the context, in seconds. */
  readonly at: number
  readonly samples: Float32Array
  readonly rate: number
  /** Whether it can be heard. */
  readonly sounds: boolean
}

const recorder = `
  registerProcessor('ears', class extends AudioWorkletProcessor {
    process([input]) {
      // Without a source there is no channel.
      const samples = input[0]?.slice() ?? new Float32Array(128)
      // Anything softer is the dither of silence.
      const sounds = samples.some((sample) => Math.abs(sample) > 0.001)
      this.port.postMessage({ at: currentTime, samples, rate: sampleRate, sounds })
      return true
    }
  })`

const RATE = 16_000

class Ears {
  /** The context of the current or the last call. */
  context: AudioContext | undefined
  /** When the page received `clear`, by the clock of the context. */
  readonly clears: number[] = []
  readonly #chunks: Chunk[] = []
  /** How much sound the page has played, in seconds, not counting pauses. */
  #played = 0
  readonly #waiting = new Set<() => void>()
  readonly #Context = AudioContext
  readonly #recorders = new WeakMap<BaseAudioContext, AudioWorkletNode>()
  /** Resolve when the recorder of a context is loaded. */
  readonly #loaded = new WeakMap<BaseAudioContext, Promise<void>>()
  /** For the sound of a WebRTC connection that is about to open: a busy browser takes seconds to load a recorder. */
  #prepared: AudioContext | undefined
  #room: Room | undefined
  #microphone: MediaStreamAudioDestinationNode | undefined

  listen(): void {
    const contextFor = (options: AudioContextOptions): AudioContext => this.#contextFor(options)
    globalThis.AudioContext = new Proxy(AudioContext, {
      construct: (_, [options = {}]: AudioContextOptions[]) => contextFor(options),
    })
    const tap = (node: AudioNode): void => this.#tap(node)
    const connect = Reflect.get(AudioNode.prototype, 'connect') as (...args: unknown[]) => unknown
    Reflect.set(AudioNode.prototype, 'connect', function (this: AudioNode, ...args: unknown[]): unknown {
      if (args[0] instanceof AudioDestinationNode) tap(this)
      return connect.apply(this, args)
    })
    this.#listenToElements()
    const cleared = (): void => {
      this.clears.push(this.context?.currentTime ?? 0)
      for (const look of this.#waiting) look()
    }
    const post = Reflect.get(MessagePort.prototype, 'postMessage') as (...args: unknown[]) => unknown
    Reflect.set(MessagePort.prototype, 'postMessage', function (this: MessagePort, ...args: unknown[]): void {
      if ((args[0] as { type?: string } | null)?.type === 'clear') cleared()
      post.apply(this, args)
    })
  }

  /** Replaces the microphone: it picks up what `say` plays, in this room. */
  becomeMicrophone(room: Room): void {
    this.#room = room
    navigator.mediaDevices.getUserMedia = async () => {
      const context = this.#make({ sampleRate: RATE })
      this.#microphone = context.createMediaStreamDestination()
      if (room.noise !== undefined) this.#playNoise(this.#microphone, room.noise)
      return this.#microphone.stream
    }
  }

  /** Plays 16-bit samples at 16 kHz into the microphone. Returns their start, by the clock of the context. */
  say(base64: string): number {
    const samples = new Int16Array(Uint8Array.from(atob(base64), (each) => each.charCodeAt(0)).buffer)
    const { context } = this.#microphone!
    const buffer = context.createBuffer(1, samples.length, RATE)
    buffer.getChannelData(0).set(Float32Array.from(samples, (sample) => sample / 32768))
    const source = new AudioBufferSourceNode(context, { buffer })
    source.connect(this.#microphone!)
    const when = context.currentTime + 0.05
    source.start(when)
    return when
  }

  /** Everything the page has played, silence included, as 16-bit samples at the rate of its sound: 16 kHz, or its own. */
  heard(): string {
    const length = this.#chunks.reduce((sum, { samples }) => sum + samples.length, 0)
    const all = new Int16Array(length)
    let at = 0
    for (const { samples } of this.#chunks)
      for (const sample of samples) all[at++] = Math.round(sample * 32768)
    const bytes = new Uint8Array(all.buffer)
    let text = ''
    for (let i = 0; i < bytes.length; i += 8_192) text += String.fromCharCode(...bytes.subarray(i, i + 8_192))
    return btoa(text)
  }

  /** Resolves once the page has received `clear`. */
  async cleared(): Promise<void> {
    await this.#until(() => this.clears.length > 0)
  }

  /** When the page first received `clear`, and when it became silent, in milliseconds of the context's clock. */
  interrupted(): { readonly asked: number; readonly silent: number } {
    const [asked = 0] = this.clears
    // No answer can start this soon.
    return { asked: asked * 1000, silent: this.#soundEnded(asked + 0.4) * 1000 }
  }

  /** Resolves once the page has played `ms` milliseconds of sound, not counting pauses. */
  async sounded(ms: number): Promise<void> {
    await this.#until(() => this.#played >= ms / 1000)
  }

  /** Resolves once the page has played something and then been silent for `ms` milliseconds. */
  async silent(ms: number): Promise<void> {
    await this.#until(() => {
      const last = this.#chunks.at(-1)
      return last !== undefined && this.#soundEnded() > 0 && last.at - this.#soundEnded() >= ms / 1000
    })
  }

  /** The end of the last sound before a time. */
  #soundEnded(before = Infinity): number {
    const last = this.#chunks.findLast((chunk) => chunk.at < before && chunk.sounds)
    return last ? last.at + secondsOf(last) : 0
  }

  /** Records what media elements play: the sound of a WebRTC connection passes through no context. */
  #listenToElements(): void {
    const prepare = (): void => void (this.#prepared ??= this.#make({ sampleRate: 24_000 }))
    const interrupted = (json: string): void => {
      if (!json.includes('"bot-interrupted"')) return
      this.clears.push(this.#chunks.at(-1)?.at ?? 0)
      for (const look of this.#waiting) look()
    }
    globalThis.RTCPeerConnection = new Proxy(RTCPeerConnection, {
      construct: (target, args: ConstructorParameters<typeof RTCPeerConnection>) => {
        prepare()
        const connection = new target(...args)
        const create = connection.createDataChannel.bind(connection)
        connection.createDataChannel = (...labels) => {
          const channel = create(...labels)
          channel.addEventListener('message', ({ data }: MessageEvent<string>) => interrupted(data))
          return channel
        }
        return connection
      },
    })
    const source = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'srcObject')!
    const record = (stream: MediaStream): void => void this.#record(stream)
    Object.defineProperty(HTMLMediaElement.prototype, 'srcObject', {
      ...source,
      set(this: HTMLMediaElement, stream: MediaStream | null) {
        source.set!.call(this, stream)
        if (stream && !this.muted && stream.getAudioTracks().length > 0) record(stream)
      },
    })
  }

  async #record(stream: MediaStream): Promise<void> {
    const context = this.#prepared ?? this.#make({ sampleRate: 24_000 })
    this.#prepared = undefined
    await this.#loaded.get(context)
    context.createMediaStreamSource(stream).connect(this.#recorder(context))
  }

  #contextFor(options: AudioContextOptions): AudioContext {
    const { context } = this
    // Reuse the context of the microphone, so that input and output have one clock.
    const isMicrophones =
      context !== undefined && this.#microphone?.context === context && !this.#room?.ownClock
    return isMicrophones && context.state !== 'closed' ? context : this.#make(options)
  }

  #make(options: AudioContextOptions): AudioContext {
    const context = new this.#Context(options)
    this.context = context
    const { audioWorklet } = context
    const ready = audioWorklet.addModule(
      URL.createObjectURL(new Blob([recorder], { type: 'text/javascript' })),
    )
    this.#loaded.set(context, ready)
    const addModule = audioWorklet.addModule.bind(audioWorklet)
    // The recorder is loaded first, so that it misses nothing.
    audioWorklet.addModule = async (url, more) => {
      await ready
      await addModule(url, more)
    }
    return context
  }

  #tap(node: AudioNode): void {
    const context = node.context as AudioContext
    // A page that loads no worklet has not waited for the recorder.
    const loaded = this.#loaded.get(context)
    loaded?.then(() => node.connect(this.#recorder(context))).catch(console.error)
    const { echo } = this.#room ?? {}
    if (!echo || !this.#microphone) return
    const delay = new DelayNode(context, { delayTime: echo.delay / 1000, maxDelayTime: 1 })
    const gain = new GainNode(context, { gain: 10 ** (echo.gain / 20) })
    node.connect(delay).connect(gain).connect(this.#microphone)
  }

  /** One per context: a player may replace its node whenever it has run dry. */
  #recorder(context: AudioContext): AudioWorkletNode {
    const existing = this.#recorders.get(context)
    if (existing) return existing
    const own = new AudioWorkletNode(context, 'ears', { numberOfOutputs: 0 })
    this.#recorders.set(context, own)
    own.port.addEventListener('message', ({ data }: MessageEvent<Chunk>) => {
      this.#chunks.push(data)
      if (data.sounds) this.#played += secondsOf(data)
      for (const look of this.#waiting) look()
    })
    own.port.start()
    return own
  }

  /** Plays steady, reproducible noise. */
  #playNoise(into: AudioNode, level: number): void {
    const context = into.context as AudioContext
    const buffer = context.createBuffer(1, RATE, RATE)
    const peak = 10 ** (level / 20) * Math.sqrt(3)
    let seed = 1
    buffer.getChannelData(0).set(
      Float32Array.from({ length: RATE }, () => {
        seed = (seed * 48_271) % 2_147_483_647
        return (seed / 1_073_741_823.5 - 1) * peak
      }),
    )
    const source = new AudioBufferSourceNode(context, { buffer, loop: true })
    source.connect(into)
    source.start()
  }

  #until(met: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!met()) return
        this.#waiting.delete(look)
        resolve()
      }
      this.#waiting.add(look)
      look()
    })
  }
}

const secondsOf = ({ samples, rate }: Chunk): number => samples.length / rate

declare global {
  var ears: Ears
}

globalThis.ears = new Ears()
globalThis.ears.listen()
