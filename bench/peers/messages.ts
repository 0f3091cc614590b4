import type { Case, Column, Order, Seen } from './case.ts'

/** What a child process has to do, as JSON in its first argument. Without a case, it lists all cases. */
export interface Assignment {
  readonly framework: string
  readonly one?: { readonly name: string; readonly column: Column; readonly url: string }
}

/** What the parent knows about a case. */
export type CaseInfo = Omit<Case, 'theirs' | 'ours'>

export type FromChild =
  | { readonly type: 'cases'; readonly cases: readonly CaseInfo[] }
  | { readonly type: 'far'; readonly id: number; readonly order: Order }
  | { readonly type: 'seen'; readonly id: number; readonly what: Seen }
  | { readonly type: 'asked' }
  | { readonly type: 'event' }
  /** Nothing keeps the process alive any more, `after` milliseconds after the close. */
  | { readonly type: 'idle'; readonly after: number }
  | {
      readonly type: 'settled'
      readonly how: 'resolved' | 'rejected'
      readonly took: number
      readonly goesOn: boolean
      readonly says?: string
    }

export type ToChild =
  /** The request with this id is done. */
  | { readonly type: 'done'; readonly id: number }
  /** The process may exit from now on. */
  | { readonly type: 'released' }
