/** What is said to a thread, and by it. `id` 0 is its set-up. */
export interface ToThread<Question> {
  readonly id: number
  readonly question: Question
}

export type FromThread<Answer> =
  | { readonly type: 'answer'; readonly id: number; readonly answer: Answer }
  | { readonly type: 'done'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number; readonly message: string; readonly detail: unknown }
