import type { AudioFormat } from '../audio/index.ts'
import type {
  AnswerVerdict,
  LineConnection,
  RecordingChange,
  TransferOutcome,
  TransferRequest,
  TransferResult,
} from '../parts/index.ts'
import { mannerNames, type PartManners } from './part-instances.ts'
import { type OptionNames } from '../scope/index.ts'

export interface TestLineOptions extends PartManners {
  /** The format of the caller's audio. Default: PCM of 16 kHz, like the other scripted parts. */
  hears?: AudioFormat
  /** The format in which the caller gets audio. Default: the same as `hears`. */
  speaks?: AudioFormat
  /** Milliseconds from `play()` until the caller hears it. Default: 0. */
  latency?: number
  /** The caller keeps hearing audio for `lag` milliseconds after `clear()`. */
  avatar?: { readonly lag: number }
  /** Whether it confirms marks. Default: true. */
  confirms?: boolean
  /** Whether it reports how much was heard. Default: true. */
  knows?: boolean
  /** Whether it only assumes what was heard, because its caller reports nothing. Default: false. */
  assumes?: boolean
  /** What the caller's program does with messages and tools. Default: there is no such program. */
  program?: Pick<LineConnection, 'sendMessage' | 'runTool'>
  /** Misbehaves: confirms cleared marks synchronously, inside `clear()`. */
  marksAtOnce?: boolean
  /** Sends silence while the caller is silent, like a phone. Default: false, because silence causes many events. */
  streams?: boolean
  /** Presses telephone keys for the line, like a carrier that can. Default: the caller hears keys as tones. */
  press?: (keys: string) => Promise<void>
  /** Transfers the caller, and returns the outcome, with or without a reason. Default: the line cannot transfer calls. */
  transfer?: (
    request: TransferRequest,
  ) => TransferOutcome | TransferResult | Promise<TransferOutcome | TransferResult>
  /** Records the call, and returns whether the change is confirmed. Default: the line cannot record calls. */
  record?: (change: RecordingChange) => boolean | Promise<boolean>
  /** Gets a listener for the carrier's verdict on who answered. Default: the line does not know. */
  onVerdict?: (listener: (verdict: AnswerVerdict) => void) => void
  /** Milliseconds until it notices that the caller has vanished. Default: 0. */
  lostAfter?: number
}

export const lineNames: OptionNames<TestLineOptions> = {
  ...mannerNames,
  hears: true,
  speaks: true,
  latency: true,
  avatar: true,
  confirms: true,
  knows: true,
  assumes: true,
  program: true,
  marksAtOnce: true,
  streams: true,
  press: true,
  transfer: true,
  record: true,
  onVerdict: true,
  lostAfter: true,
}
