import { noop } from '../scope/index.ts'
import type { SttEvents } from './stt.ts'

/** Callbacks that do nothing, to be spread into an object with the ones that matter. */
export const noSttEvents: SttEvents = {
  started: noop,
  interim: noop,
  final: noop,
  maybeEndOfTurn: noop,
  resumed: noop,
  endOfTurn: noop,
  usage: noop,
  failed: noop,
}
