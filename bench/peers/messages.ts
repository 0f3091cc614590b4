import type { Case, Column, Order, Sighting } from './case.ts'

/** What the process of a run is told, as JSON in its first argument. Without a case it lists them. */
export interface Assignment {
  readonly framework: string
  readonly one?: { readonly name: string; readonly column: Column; readonly url: string }
}

/** What the parent has to know of a case. */
export type Listed = Omit<Case, 'theirs' | 'ours'>

export type FromChild =
  | { readonly type: 'cases'; readonly cases: readonly Listed[] }
  | { readonly type: 'far'; readonly id: number; readonly order: Order }
  | { readonly type: 'seen'; readonly id: number; readonly what: Sighting }
  | { readonly type: 'asked' }
  | { readonly type: 'event' }
  /** Nothing keeps the process any more, so long after the close. */
  | { readonly type: 'idle'; readonly after: number }
  | {
      readonly type: 'settled'
      readonly how: 'resolved' | 'rejected'
      readonly took: number
      readonly goesOn: boolean
      readonly says?: string
    }

export type ToChild =
  /** The order with this id is carried out, or what was waited for was seen. */
  | { readonly type: 'done'; readonly id: number }
  /** From here on the process may end. */
  | { readonly type: 'released' }
