import type { Scope } from '../scope/index.ts'
import { Agent } from './agent.ts'
import { ToolError } from './errors.ts'
import type { History } from './history.ts'
import type { Replies } from './replies.ts'
import type { Reply } from './reply.ts'
import type { Speech } from './speech.ts'
import type { ToolCall, ToolOutcome } from './tool-runner.ts'
import type { ToolPlayout } from './tool.ts'

export interface ToolUseHost {
  readonly scope: Scope<string>
  readonly history: History
  /** Rounds of tool calls in one answer, before it is stopped (TL6). */
  readonly maxToolSteps: number
  /** Who answers now. */
  agent(): { readonly agent: Agent }
  /** Calls back once, synchronously with what decides the outcome (TL2). */
  callTool(call: ToolCall, before: () => Promise<ToolPlayout>, done: (outcome: ToolOutcome) => void): void
}

/** A call that was made: our own name for it, and what becomes of it. Never rejects. */
export interface UsedTool {
  readonly id: string
  readonly outcome: Promise<ToolOutcome>
}

/** The tools that an answer uses, each with its place in the history. */
export class ToolUse {
  readonly #host: ToolUseHost
  readonly #replies: Replies

  constructor(host: ToolUseHost, replies: Replies) {
    this.#host = host
    this.#replies = replies
  }

  /**
   * Runs one call of an answer, or refuses it in the round after the last. Its result stands in the history also if
   * nobody waits for it any more (TL4). `speech` are the words before it.
   */
  use(reply: Reply, call: ToolCall, speech: Speech | undefined, step: number): UsedTool {
    const id = this.#called(call)
    if (step >= this.#host.maxToolSteps) return { id, outcome: this.#refuse(id) }
    this.#replies.waitsFor(reply, id)
    const outcome = new Promise<ToolOutcome>((resolve) => {
      // Under the history's own name for it: models use theirs again.
      this.#host.callTool(
        { ...call, id },
        () => playoutBefore(speech),
        (ended) => {
          this.#replies.waitsNoMoreFor(reply, id)
          resolve(this.#returned(id, ended))
        },
      )
    })
    return { id, outcome }
  }

  /** Too many calls: the model is told, and named the limit (TL6). */
  async #refuse(id: string): Promise<ToolOutcome> {
    const { maxToolSteps } = this.#host
    const why = `no more tools in this answer (limit maxToolSteps = ${maxToolSteps}): answer with what you have`
    return this.#returned(id, { output: why, failed: true, error: new ToolError('TOOL_LIMIT', why) })
  }

  #called(call: ToolCall): string {
    const { history, scope } = this.#host
    const { agent } = this.#host.agent()
    return history.callTool({ ...call, call: call.id, at: scope.clock.date(), agent: agent.name }).id
  }

  #returned(id: string, outcome: ToolOutcome): ToolOutcome {
    const { history, scope } = this.#host
    const { value, failed } = outcome
    const output = value instanceof Agent ? `handed over to ${value.name}` : outcome.output
    history.endTool(id, { output, failed, at: scope.clock.date() })
    return { ...outcome, output }
  }
}

/** The agent that one of these tools hands the caller over to. */
export function nextAgent(outcomes: readonly ToolOutcome[]): Agent | undefined {
  for (const { value } of outcomes) if (value instanceof Agent) return value
  return undefined
}

/** How the words before a tool fare: settles when they were heard, or at the moment they are interrupted (SP4). */
async function playoutBefore(speech: Speech | undefined): Promise<ToolPlayout> {
  if (!speech) return { how: 'nothing', stopped: true }
  await speech.untilInterrupted()
  if (speech.outcome) return { how: speech.outcome.how, stopped: true }
  return { how: 'interrupted', stopped: false }
}
