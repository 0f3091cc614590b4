/** What the worker sends to the program that started it. */
export type FromWorker =
  /** A handler has handed its work over. If the worker is to be killed, nothing more comes. */
  | { readonly type: 'handed-over'; readonly key: string; readonly attempt: number }
  /** The outcome of a handler is in the journal. */
  | { readonly type: 'settled'; readonly key: string; readonly outcome: string }
  /** The results of all workflows, by key, after each was handed over twice more. */
  | { readonly type: 'results'; readonly results: Readonly<Record<string, string>> }

/** What the worker is asked for: to hand everything over twice more, and to send the results. */
export interface ToWorker {
  readonly keys: readonly string[]
}
