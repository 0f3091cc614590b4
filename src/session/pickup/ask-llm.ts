import type { Llm, PartContext } from '../../parts/index.ts'
import { iterate, type TaskContext } from '../../scope/index.ts'

const instructions = `You hear what is said when a phone call is answered. Who answered? Reply with one word:
person: a human being, also one who answers for a company
machine: an answering machine or a mailbox, or an announcement that nobody can be reached
menu: a telephone menu, or a service that asks who is calling
unknown: none of these is clear`

/** Characters to read of the answer, which is one word. */
const LONGEST = 100

/** Asks a language model who answered. It is opened for this question, and closed with the session. */
export async function askLlm(
  llm: Llm,
  context: PartContext,
  greeting: string,
  task: TaskContext,
): Promise<string> {
  const client = await task.until(llm.open(context))
  const request = { instructions, messages: [{ role: 'user', text: greeting } as const], tools: [] }
  let answer = ''
  for await (const chunk of iterate(client.generate(request, task.signal), task, { name: 'judge' })) {
    if (chunk.type === 'usage') context.used(chunk.usage)
    if (chunk.type === 'text') answer += chunk.text
    if (answer.length > LONGEST) break
  }
  return answer
}
