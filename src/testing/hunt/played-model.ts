import type { ToolDescription } from '../../parts/index.ts'
import { callTool, type LlmAnswer, type ScriptedCall } from '../script.ts'
import type { SimRandom } from '../sim-random.ts'
import { sampleInput } from './sample-input.ts'

/** Inputs for tools by name, to use instead of samples from their schemas. */
export type ToolInputs = Readonly<Record<string, readonly unknown[]>>

/** A request to the scripted model, of whatever kind the model is. */
export interface Asked {
  readonly tools: readonly ToolDescription[]
  /** The result of a tool that the model has to go on with. */
  readonly result: { readonly failed: boolean; readonly output: string } | undefined
}

/** Plays the agent's model: calls the tools of a path one after another, one per turn of the caller. */
export class PlayedModel {
  readonly #path: readonly string[]
  readonly #inputs: ToolInputs
  readonly #random: SimRandom
  /** The tools that the model was offered last, by name. */
  tools: ReadonlyMap<string, ToolDescription> = new Map()
  #called = 0
  #last: ScriptedCall | undefined
  #retried = false
  #repeats = false

  constructor(path: readonly string[], inputs: ToolInputs, random: SimRandom) {
    this.#path = path
    this.#inputs = inputs
    this.#random = random
  }

  /** The next turn calls the last tool again, as models do when the caller interrupts them. */
  repeat(): void {
    this.#repeats = true
  }

  answer({ tools, result }: Asked): LlmAnswer {
    this.tools = new Map(tools.map((tool) => [tool.name, tool]))
    if (result) return this.#goOn(result)
    if (this.#repeats && this.#last && this.tools.has(this.#last.call)) {
      this.#repeats = false
      return ['Let me try again. ', this.#last]
    }
    const next = this.#path[this.#called]
    const tool = next === undefined ? undefined : this.tools.get(next)
    if (!tool) return 'Certainly. What else can I do?'
    this.#called++
    this.#retried = false
    this.#last = callTool(tool.name, this.#inputFor(tool))
    return ['One moment, please. ', this.#last]
  }

  /** A tool that took too long is called once more, as models do. */
  #goOn({ failed, output }: NonNullable<Asked['result']>): LlmAnswer {
    const isLate = failed && output.includes('took longer than')
    if (!isLate || this.#retried || !this.#last) return 'All right, that is done. Anything else?'
    this.#retried = true
    return ['It takes a little longer. ', this.#last]
  }

  #inputFor({ name, parameters }: ToolDescription): unknown {
    const own = this.#inputs[name]
    return own && own.length > 0 ? this.#random.pick(own) : sampleInput(parameters, this.#random)
  }
}
