import type { Content, FunctionCall, FunctionResponse } from './messages.ts'

interface Call {
  readonly call: FunctionCall
  result: FunctionResponse | undefined
  /** The connection that made it is gone: the service does not wait for it any more. */
  gone: boolean
}

/** A call and its result, as they are told to a service that has not made the call, or has taken it back. */
export interface CallPair {
  readonly result: FunctionResponse
  readonly contents: Content[]
}

/** The calls of the model whose results have not reached it. */
export class Calls {
  readonly #calls = new Map<string, Call>()

  add(call: FunctionCall): void {
    this.#calls.set(call.id, { call, result: undefined, gone: false })
  }

  /** What the service waits for: results, or, when all are here, that it is asked to go on. */
  get waiting(): 'for results' | 'for an ask' | undefined {
    const calls = this.#known
    if (calls.length === 0) return undefined
    return calls.every(({ result }) => result) ? 'for an ask' : 'for results'
  }

  /** Takes a result. Returns what to tell the service, if it does not wait for the result any more. */
  result(id: string, output: string, failed: boolean): Content[] {
    const call = this.#calls.get(id)
    if (!call || call.result) return []
    call.result = responseOf(call.call, output, failed)
    return call.gone ? this.#take([call]).flatMap(({ contents }) => contents) : []
  }

  /** The service waits for these no more: it is given them. */
  takeResults(): CallPair[] {
    return this.#take(this.#known)
  }

  /** The service has taken a call back. Returns what was done nevertheless; undefined if there was no such call. */
  cancel(id: string): Content[] | undefined {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    return call && pairsOf([call]).flatMap(({ contents }) => contents)
  }

  /** The connection is gone. Returns what was done and not told. */
  lost(): Content[] {
    const done = this.#take(this.#known.filter(({ result }) => result))
    for (const call of this.#calls.values()) call.gone = true
    return done.flatMap(({ contents }) => contents)
  }

  get #known(): Call[] {
    return [...this.#calls.values()].filter(({ gone }) => !gone)
  }

  #take(calls: readonly Call[]): CallPair[] {
    for (const { call } of calls) this.#calls.delete(call.id)
    return pairsOf(calls)
  }
}

function pairsOf(calls: readonly Call[]): CallPair[] {
  return calls.flatMap(({ call, result }) =>
    result
      ? {
          result,
          contents: [
            { role: 'model', parts: [{ functionCall: call }] },
            { role: 'user', parts: [{ functionResponse: result }] },
          ],
        }
      : [],
  )
}

export function responseOf(
  { id, name }: Pick<FunctionCall, 'id' | 'name'>,
  output: string,
  failed: boolean,
): FunctionResponse {
  return { id, name, response: failed ? { error: output } : { output } }
}
