import type { Llm, LlmClient, LlmRequest } from '../../parts/index.ts'
import { EndwellError, describeError } from '../../scope/index.ts'
import { outsideTimer } from '../outside-timer.ts'
import { Watched, type Pace } from '../pace.ts'
import { partContext, type TestPartContext } from '../part-context.ts'
import { ScriptedLlm } from '../scripted-llm.ts'
import { SimRandom } from '../sim-random.ts'
import { VirtualTime } from '../virtual-time.ts'

/** Characters of one answer. Longer ones are an error: a model that never stops must end some time. */
const LONGEST_ANSWER = 20_000
/** Characters of an answer that an error shows. */
const SHOWN = 200

const REAL = "of virtual time. If it waits for something real, such as a network, rehearse with clock: 'real'"

/** The model that plays the caller, or the one that judges a call, did not do its part: the test is broken, not the agent. */
export class TestModelError extends EndwellError {
  constructor(message: string, options?: ErrorOptions) {
    super('TEST_MODEL', message, options)
  }
}

export interface ModelAnswer {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly input: string }[]
}

/** A model that takes part in a test and not in the session. Everything that goes wrong with it is a `TestModelError`. */
export class AskedModel {
  readonly #who: string
  readonly #llm: Llm
  readonly #pace: Pace
  readonly #timeout: number
  readonly #context: TestPartContext
  #client: Promise<LlmClient> | undefined

  /** `who` is the part that the model plays: `the caller`. */
  constructor(who: string, llm: Llm, pace: Pace, timeout: number) {
    this.#who = who
    this.#llm = llm
    this.#pace = pace
    this.#timeout = timeout
    this.#context = partContext({ clock: pace.clock, random: new SimRandom(0) })
  }

  /** Resolves with the whole answer. Rejects if the model fails, or does not answer in time. */
  async ask(request: LlmRequest): Promise<ModelAnswer> {
    const stop = new AbortController()
    const what = `the answer of ${this.#who}`
    const timer = outsideTimer(this.#pace.clock, this.#timeout, what, () => {
      stop.abort()
      this.#pace.changed()
    })
    // A model that ignores its signal is not waited for.
    const answer = new Watched(this.#read(request, stop.signal), () => this.#pace.changed())
    const isOver = (): boolean => answer.settled || stop.signal.aborted
    await this.#pace.until(isOver, { what, takes: this.#timeout }).finally(() => timer.clear())
    if (stop.signal.aborted) throw this.error(`did not answer within ${this.#timeout} ms${this.#hint}`)
    try {
      return answer.outcome
    } catch (error) {
      if (error instanceof TestModelError) throw error
      throw this.error(`failed: ${describeError(error).message}`, { cause: error })
    }
  }

  /** An error about what the model did. */
  error(problem: string, options?: ErrorOptions): TestModelError {
    return new TestModelError(
      `${this.#who} is played by the model '${this.#llm.name}', which ${problem}`,
      options,
    )
  }

  async close(): Promise<void> {
    await this.#pace.run(this.#context.scope.close(), { what: `closing the model of ${this.#who}` })
  }

  async #read(request: LlmRequest, signal: AbortSignal): Promise<ModelAnswer> {
    const client = await (this.#client ??= this.#llm.open(this.#context))
    const calls: { readonly name: string; readonly input: string }[] = []
    let text = ''
    for await (const chunk of client.generate(request, signal)) {
      if (chunk.type === 'tool-call') calls.push({ name: chunk.name, input: chunk.input })
      if (chunk.type === 'text') text += chunk.text
      if (text.length > LONGEST_ANSWER) throw this.error(`said more than ${LONGEST_ANSWER} characters`)
    }
    return { text: text.trim(), calls }
  }

  /** Virtual time does not wait for anything real (SI4). A script only stalls on purpose. */
  get #hint(): string {
    return this.#pace instanceof VirtualTime && !(this.#llm instanceof ScriptedLlm) ? ` ${REAL}` : ''
  }
}

/** An answer for an error, shortened. */
export function shown({ text, calls }: ModelAnswer): string {
  const all = [
    ...(text === '' ? [] : [`'${text}'`]),
    ...calls.map(({ name, input }) => `${name}(${input})`),
  ].join(', ')
  if (all === '') return 'nothing'
  return all.length <= SHOWN ? all : `${all.slice(0, SHOWN)}…`
}

/** The input of a tool call as an object. Undefined if it is anything else. */
export function parsedInput(input: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(input)
    return typeof value === 'object' && value !== null
      ? (value as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}
