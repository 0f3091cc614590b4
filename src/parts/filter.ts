import type { AudioFormat, AudioFrame } from '../audio/index.ts'
import type { PartContext, SoundSetup } from './part.ts'

/** Changes the caller's sound on its way from the line to the models: noise suppression, for example. */
export interface Filter {
  readonly name: string
  /** Every format it can take. It makes sound of the same format. */
  readonly hears: readonly AudioFormat[]
  open(context: PartContext, setup: SoundSetup): Promise<FilterStream>
}

export interface FilterStream {
  /**
   * Returns the frame to hear instead, of the same length, at once or a little later. The session bypasses a filter that
   * throws, rejects or is late for the rest of the call, and reports it.
   */
  filter(frame: AudioFrame): AudioFrame | PromiseLike<AudioFrame>
}
