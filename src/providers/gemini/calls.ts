import type { Content, FunctionCall, FunctionResponse } from './messages.ts'

interface Call {
  readonly call: FunctionCall
  result: FunctionResponse | undefined
  /** The connection that made the call was lost, so the service no longer waits for the result. */
  orphaned: boolean
}

/** A call with its result. As `contents`, it informs a service that never made the call or has cancelled it. */
export interface AnsweredCall {
  readonly result: FunctionResponse
  readonly contents: Content[]
}

/** The model's calls whose results have not reached it. */
export class Calls {
  readonly #calls = new Map<string, Call>()

  add(call: FunctionCall): void {
    this.#calls.set(call.id, { call, result: undefined, orphaned: false })
  }

  /** Adds a call of another model, which the service will learn about together with its result. */
  addOrphan(call: FunctionCall): void {
    this.#calls.set(call.id, { call, result: undefined, orphaned: true })
  }

  /** What the service waits for: results of its calls, or, with all results in, a request to continue. */
  get waitingFor(): 'results' | 'request' | undefined {
    const calls = this.#current
    if (calls.length === 0) return undefined
    return calls.every(({ result }) => result) ? 'request' : 'results'
  }

  /** Adds a result. Returns the contents to send if the call is orphaned. */
  addResult(id: string, output: string, failed: boolean): Content[] {
    const call = this.#calls.get(id)
    if (!call || call.result) return []
    call.result = responseOf(call.call, output, failed)
    return call.orphaned ? this.#take([call]).flatMap(({ contents }) => contents) : []
  }

  /** Removes the current calls and returns those with a result. */
  takeAnswered(): AnsweredCall[] {
    return this.#take(this.#current)
  }

  /**
   * The service cancelled a call. Returns the contents to send if its result already exists; undefined if there is no such
   * call.
   */
  cancel(id: string): Content[] | undefined {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    return call && answeredOf([call]).flatMap(({ contents }) => contents)
  }

  /** The connection was lost. Returns the results that had not been sent. */
  lost(): Content[] {
    const answered = this.#take(this.#current.filter(({ result }) => result))
    for (const call of this.#calls.values()) call.orphaned = true
    return answered.flatMap(({ contents }) => contents)
  }

  /** Calls of the current connection. */
  get #current(): Call[] {
    return [...this.#calls.values()].filter(({ orphaned }) => !orphaned)
  }

  #take(calls: readonly Call[]): AnsweredCall[] {
    for (const { call } of calls) this.#calls.delete(call.id)
    return answeredOf(calls)
  }
}

function answeredOf(calls: readonly Call[]): AnsweredCall[] {
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
