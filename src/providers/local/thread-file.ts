/** The files in this folder that run in a worker thread, without their extension. */
export type ThreadFile =
  | 'espeak-thread'
  | 'flite-thread'
  | 'recogniser-thread'
  | 'silero-thread'
  | 'smart-turn-thread'
