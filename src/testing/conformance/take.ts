import type { Stage } from './stage.ts'

/** The values of a stream, and the error it ended with. */
export interface Taken<T> {
  readonly values: T[]
  readonly error?: unknown
}

/** Reads a stream to its end; never rejects. Calls `look` with each value as it arrives. */
export async function take<T>(
  source: AsyncIterable<T>,
  look?: (value: T, index: number) => void,
): Promise<Taken<T>> {
  const values: T[] = []
  try {
    for await (const value of source) {
      values.push(value)
      look?.(value, values.length - 1)
    }
    return { values }
  } catch (error) {
    return { values, error }
  }
}

/** Reads a stream to its end. Rejects if the stream does not end in time. */
export function takeSoon<T>(
  stage: Stage,
  source: AsyncIterable<T>,
  look?: (value: T, index: number) => void,
): Promise<Taken<T>> {
  return stage.soon(take(source, look), 'the end of the stream')
}

/** Text in pieces, as a model yields it. */
export async function* pieces(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts
}

/** Text that never yields a second piece. `returned` becomes true when its consumer releases it. */
export function hangingText(first: string): AsyncIterable<string> & { readonly returned: boolean } {
  const text = {
    returned: false,
    [Symbol.asyncIterator]: (): AsyncIterator<string> => {
      let given = false
      return {
        next: () => {
          if (given) return new Promise(() => {})
          given = true
          return Promise.resolve({ done: false, value: first })
        },
        return: () => {
          text.returned = true
          return Promise.resolve({ done: true, value: undefined })
        },
      }
    },
  }
  return text
}
