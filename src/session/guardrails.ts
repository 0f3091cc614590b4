import type { Scope } from '../scope/index.ts'

/** What a guardrail says of a text: nothing is fine; words say what is wrong with it. */
export type Verdict = string | undefined | void

/** Checks what somebody is saying, while it is being said. */
export type Guardrail = (
  text: string,
  context: { readonly signal: AbortSignal },
) => Verdict | PromiseLike<Verdict>

/** Guardrails by name. They run beside the conversation and stop it if they must (TL5). */
export interface Guardrails {
  /** On the user's finished turn. A verdict stops the reply and makes the agent answer with `refusal`. */
  input?: Readonly<Record<string, Guardrail>>
  /** On the agent's text, as it grows. A verdict stops the speech in the middle of a word. */
  output?: Readonly<Record<string, Guardrail>>
  /** What is said instead: 'I am sorry, I cannot help with that.' unless set. */
  refusal?: string
}

export const defaultRefusal = 'I am sorry, I cannot help with that.'

/** How much the agent's text must have grown before its guardrails look again, in characters. */
const outputStep = 40

/** How long a guardrail may take, in milliseconds: a verdict on words that are long over helps nobody. */
const longest = 15_000

/** Told of each guardrail that has something against a text. */
export type Objection = (name: string, verdict: string) => void

/** Lets guardrails look at what is said, as tasks of the session: cancelled and awaited when it closes (TL5). */
export class GuardrailRunner {
  readonly #scope: Scope<string>
  readonly #failed: (where: string, error: unknown) => void

  constructor(scope: Scope<string>, failed: (where: string, error: unknown) => void) {
    this.#scope = scope
    this.#failed = failed
  }

  look(text: string, guardrails: Readonly<Record<string, Guardrail>> = {}, object: Objection): void {
    for (const [name, guardrail] of Object.entries(guardrails)) this.#run(name, guardrail, text, object)
  }

  /** Lets guardrails look at all of a text so far each time it has grown enough, and at its end. */
  watch(
    guardrails: Readonly<Record<string, Guardrail>> | undefined,
    object: Objection,
  ): { grew(piece: string): void; ends(): void } {
    let soFar = ''
    let looked = 0
    const look = (least: number): void => {
      if (soFar.length < looked + least) return
      looked = soFar.length
      this.look(soFar, guardrails, object)
    }
    return {
      grew: (piece) => {
        soFar += piece
        look(outputStep)
      },
      ends: () => look(1),
    }
  }

  #run(name: string, guardrail: Guardrail, text: string, object: Objection): void {
    if (this.#scope.state !== 'live') return
    const where = `guardrail ${name}`
    const task = this.#scope.spawn(where, async ({ signal }) => guardrail(text, { signal }))
    let late = false
    const timer = this.#scope.after(longest, `time of ${where}`, () => {
      late = true
      task.cancel(`${where} took longer than ${longest} ms`)
      this.#failed(where, new Error(`took longer than ${longest} ms`))
    })
    task.result.then(
      (verdict) => {
        timer.clear()
        if (!late && typeof verdict === 'string') object(name, verdict)
      },
      (error: unknown) => {
        timer.clear()
        // That it was cancelled is no news.
        if (!late && task.outcome === 'failed') this.#failed(where, error)
      },
    )
  }
}
