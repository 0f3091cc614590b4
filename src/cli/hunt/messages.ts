import type { HuntProgress, HuntResult } from '../../testing/index.ts'

/** What the command asks its hunting process for. */
export interface HuntRequest {
  readonly file: string
  readonly seed: number
  readonly moments: number
  /** Real milliseconds. */
  readonly limit: number
  readonly case?: number
  readonly skip: readonly number[]
  readonly online: boolean
}

/** Messages to the hunting process. `stop` ends the hunt after the current call. */
export type ToHunter = { readonly type: 'hunt'; readonly request: HuntRequest } | { readonly type: 'stop' }

/** Messages of the hunting process. */
export type FromHunter =
  | ({ readonly type: 'progress' } & HuntProgress)
  | { readonly type: 'result'; readonly result: HuntResult }
  | { readonly type: 'error'; readonly code: string; readonly message: string }
