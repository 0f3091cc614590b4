import type { Stage } from './stage.ts'

/** What became of a stream that was taken to its end. */
export interface Taken<T> {
  readonly values: T[]
  readonly error?: unknown
}

/** Takes everything a stream gives; never throws. `look` sees each value as it comes. */
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

/** Takes everything, and fails if the stream does not end. */
export function takeSoon<T>(
  stage: Stage,
  source: AsyncIterable<T>,
  look?: (value: T, index: number) => void,
): Promise<Taken<T>> {
  return stage.soon(take(source, look), 'the end of the stream')
}

/** Text in pieces, as a model gives it. */
export async function* pieces(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts
}

/** Text that begins and then never goes on. `returned` tells whether anybody said that it is not needed. */
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
