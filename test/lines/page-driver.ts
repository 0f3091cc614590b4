/**
 * Runs in a real page: the client as users have it, and a recorder of the sound. The file is served to the browser as it
 * is, and tests call `driver` through text.
 */
import { Call, type CallEvents, type CallOptions } from '../../src/lines/websocket/client/index.ts'

const recorder = `
  registerProcessor('recorder', class extends AudioWorkletProcessor {
    process([input]) {
      if (input[0]) this.port.postMessage({ at: currentTime, samples: input[0].slice() })
      return true
    }
  })`

type Logged = { [Name in keyof CallEvents]: readonly [Name, CallEvents[Name]] }[keyof CallEvents]

class Driver {
  call: Call | undefined
  readonly log: Logged[] = []
  readonly #samples: Float32Array[] = []
  readonly #waiting = new Set<() => void>()

  /** Calls, and records the sound. Resolves to the state of the call. */
  async connect(options: CallOptions): Promise<string> {
    const call = new Call(options)
    this.call = call
    for (const name of ['state', 'speaking', 'rejoining', 'ended', 'error', 'level'] as const)
      call.on(name, (data: unknown) => {
        this.log.push([name, data] as unknown as Logged)
        this.#changed()
      })
    const state = await call.connect()
    if (call.output) await this.#record(call.output)
    return state
  }

  /** All samples that were played, as 16 bit, without the silence before and after. */
  heard(): number[] {
    const all = this.#samples.flatMap((each) => [...each]).map((sample) => Math.round(sample * 32768))
    const first = all.findIndex((sample) => sample !== 0)
    return first < 0 ? [] : all.slice(first, all.findLastIndex((sample) => sample !== 0) + 1)
  }

  /** Resolves when an event with this name and this text in its data was emitted. */
  async event(name: string, part = ''): Promise<unknown> {
    const find = (): Logged | undefined =>
      this.log.find(([each, data]) => each === name && JSON.stringify(data).includes(part))
    await this.#until(() => find() !== undefined)
    return find()![1]
  }

  /** Resolves when so many samples were played, silence at both ends not counted. */
  async sounded(samples: number): Promise<void> {
    await this.#until(() => this.heard().length >= samples)
  }

  /** The number of samples that were played, silence included. */
  count(): number {
    return this.#samples.reduce((sum, { length }) => sum + length, 0)
  }

  /** Resolves when so many samples were played, silence included. */
  async rendered(samples: number): Promise<void> {
    await this.#until(() => this.count() >= samples)
  }

  /** Resolves when the browser allows sound. */
  async sounds(): Promise<void> {
    const context = this.call!.output!.context
    context.addEventListener('statechange', () => this.#changed())
    await this.#until(() => context.state === 'running')
  }

  async #record(output: AudioNode): Promise<void> {
    const { audioWorklet } = output.context
    await audioWorklet.addModule(URL.createObjectURL(new Blob([recorder], { type: 'text/javascript' })))
    const node = new AudioWorkletNode(output.context, 'recorder', { numberOfOutputs: 0 })
    node.port.addEventListener('message', ({ data }: MessageEvent<{ samples: Float32Array }>) => {
      this.#samples.push(data.samples)
      this.#changed()
    })
    node.port.start()
    output.connect(node)
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

  #changed(): void {
    for (const look of this.#waiting) look()
  }
}

declare global {
  var driver: Driver
}

globalThis.driver = new Driver()
