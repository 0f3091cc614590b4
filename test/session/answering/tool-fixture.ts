import type { Late } from '../../../src/scope/index.ts'
import type { AgentOptions, Tool } from '../../../src/session/index.ts'
import type { LlmAnswer, World } from '../../../src/testing/index.ts'
import { aCall, type CallOptions } from '../fixture.ts'

/** Creates a call with these tools and answers of the model, and starts its session. */
export async function aCallWithTools(
  world: World,
  tools: Record<string, Tool>,
  answers: readonly LlmAnswer[],
  { agent, ...options }: Omit<CallOptions, 'agent'> & { agent?: Partial<AgentOptions> } = {},
) {
  const late: Late[] = []
  const call = aCall(world, {
    agent: { tools, ...agent },
    answers,
    onLate: (each) => late.push(each),
    ...options,
  })
  await call.session.start()
  return { ...call, late }
}

/** The results of all tool calls in the history. */
export const outputs = (session: { history: { items: readonly object[] } }): unknown[] =>
  session.history.items.flatMap((item) => ('call' in item ? [(item as { result?: unknown }).result] : []))
