import { decodeWav, type AudioFrame } from '../../../src/audio/index.ts'
import type { Clock } from '../../../src/scope/index.ts'
import type { SimClock } from '../../../src/testing/index.ts'
import {
  Recorder,
  type RecorderOptions,
  type RecordingError,
  type RecordingSink,
} from '../../../src/session/recording/recorder.ts'

export const sound = (value: number, ms: number): AudioFrame => ({
  samples: new Int16Array(ms * 8).fill(value),
  sampleRate: 8000,
})

/** A file in memory. `before` runs before each `write` and `patch`, so that they can fail or hang. */
export class MemorySink implements RecordingSink {
  bytes = new Uint8Array(0)
  readonly calls: string[] = []
  before: (call: string) => void | Promise<void> = () => {}
  onClose: (signal: AbortSignal) => void | Promise<void> = () => {}

  async write(bytes: Uint8Array): Promise<void> {
    this.calls.push('write')
    await this.before('write')
    const longer = new Uint8Array(this.bytes.length + bytes.length)
    longer.set(this.bytes)
    longer.set(bytes, this.bytes.length)
    this.bytes = longer
  }

  async patch(position: number, bytes: Uint8Array): Promise<void> {
    this.calls.push('patch')
    await this.before('patch')
    this.bytes.set(bytes, position)
  }

  async close(signal: AbortSignal): Promise<void> {
    this.calls.push('close')
    await this.onClose(signal)
  }

  abort(): void {
    this.calls.push('abort')
  }

  /** The two channels of the file, as runs of one value: `[value, milliseconds]`. */
  get sides(): { caller: [number, number][]; agent: [number, number][] } {
    const [caller, agent] = decodeWav(this.bytes).channels.map((samples) => {
      const found: [number, number][] = []
      for (const sample of samples) {
        const last = found.at(-1)
        if (last && last[0] === sample) last[1] += 1 / 8
        else found.push([sample, 1 / 8])
      }
      return found
    })
    return { caller: caller!, agent: agent! }
  }
}

export function aRecorder(clock: Clock, options: Partial<RecorderOptions> = {}) {
  const sink = new MemorySink()
  const errors: RecordingError[] = []
  const recorder = new Recorder({
    sink,
    clock,
    sampleRate: 8000,
    onError: (error) => errors.push(error),
    ...options,
  })
  return { sink, errors, recorder }
}

/** The caller speaks for `ms` milliseconds, with a frame every 20 ms. */
export async function speak(clock: SimClock, recorder: Recorder, ms: number, value = 1): Promise<void> {
  for (let passed = 0; passed < ms; passed += 20) {
    await clock.elapse(20)
    recorder.caller(sound(value, 20))
  }
}

export const live = new AbortController().signal
