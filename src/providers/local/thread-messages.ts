export interface ToThread<Input> {
  readonly id: number
  readonly input: Input
}

/** `id` 0 stands for the set-up. */
export type FromThread<Output> =
  | { readonly type: 'output'; readonly id: number; readonly output: Output }
  | { readonly type: 'done'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number; readonly message: string; readonly detail: unknown }
