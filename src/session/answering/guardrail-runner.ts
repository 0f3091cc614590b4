import type { SessionContext } from '../context.ts'
import { limits } from '../limits.ts'
import type { OutputWatch } from '../speaking/delivery.ts'
import type { Speaking } from '../speaking/speaking.ts'
import type { Speech } from '../speaking/speech.ts'
import { once } from '../speaking/stages.ts'
import type { Agent } from './agent.ts'
import type { Guardrail } from './guardrails.ts'
import type { Reply } from './reply.ts'

export const defaultRefusal = 'I am sorry, I cannot help with that.'

/** How many characters the agent's text must grow before its guardrails run again. */
const OUTPUT_STEP = 40

/** How long a guardrail may take, in milliseconds. A later verdict would come long after the words. */
const TIMEOUT = 15_000

/** Runs guardrails as tasks of the session: cancelled and awaited when it closes (TL5). */
export class GuardrailRunner {
  readonly #context: SessionContext
  readonly #speaking: Speaking
  #running = 0

  constructor(context: SessionContext, speaking: Speaking) {
    this.#context = context
    this.#speaking = speaking
  }

  /** Checks what the user said. `stops` stops the answer, and returns whether there was one. */
  checkInput(text: string, agent: Agent, stops: () => boolean): void {
    for (const [name, guardrail] of Object.entries(agent.guardrails.input ?? {}))
      this.#run(name, guardrail, text, (verdict) => this.#object(agent, 'input', name, verdict, stops))
  }

  /** Checks what the agent says: the whole text so far, each time it has grown enough, and at its end. */
  watch(agent: Agent): OutputWatch {
    let text = ''
    let checked = 0
    const check = (speech: Speech, least: number): void => {
      if (text.length < checked + least) return
      // Each check has the whole text: one that is left out now is made up for by the next. The last is never left out.
      if (least > 1 && this.#running >= limits.guardrails) return
      checked = text.length
      for (const [name, guardrail] of Object.entries(agent.guardrails.output ?? {}))
        this.#run(name, guardrail, text, (verdict) =>
          this.#object(agent, 'output', name, verdict, () => stop(speech)),
        )
    }
    return {
      grew: (piece, speech) => {
        text += piece
        check(speech, OUTPUT_STEP)
      },
      ended: (speech) => check(speech, 1),
    }
  }

  /** A guardrail objects: stops the speech and the reply it belongs to, and says the refusal instead. */
  #object(agent: Agent, on: 'input' | 'output', name: string, verdict: string, stops: () => boolean): void {
    if (!this.#context.isOpen) return
    this.#context.book.objected({ name, on, verdict })
    this.#context.events.emit('guardrail', { name, on, verdict })
    // A listener may have closed the session, now or when the speech was stopped.
    if (!stops() || !this.#context.isOpen) return
    // The refusal is not checked: if a guardrail objected to it, it would be repeated forever.
    this.#speaking.say(once(agent.guardrails.refusal ?? defaultRefusal), { agent })
  }

  #run(name: string, guardrail: Guardrail, text: string, object: (verdict: string) => void): void {
    const { scope } = this.#context
    if (scope.state !== 'live') return
    const where = `guardrail ${name}`
    const task = scope.spawn(where, async ({ signal }) => guardrail(text, { signal }))
    this.#running++
    let late = false
    const timer = scope.after(TIMEOUT, `timeout of ${where}`, () => {
      late = true
      task.cancel(`${where} took longer than ${TIMEOUT} ms`)
      this.#context.failed(where, new Error(`took longer than ${TIMEOUT} ms`))
    })
    task.result.then(
      (verdict) => {
        timer.clear()
        this.#running--
        if (!late && typeof verdict === 'string') object(verdict)
      },
      (error: unknown) => {
        timer.clear()
        this.#running--
        if (!late && task.outcome === 'failed') this.#context.failed(where, error)
      },
    )
  }
}

/** Stops a reply or a speech. Returns whether there was something to stop. */
export function stop(subject: Reply | Speech): boolean {
  const hasEnded = 'hasEnded' in subject ? subject.hasEnded : subject.outcome !== undefined
  if (hasEnded || subject.interrupted) return false
  subject.interrupt({ force: true })
  return true
}
