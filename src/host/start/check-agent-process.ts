// The main file of the process that checks an agent file. See check-agent.ts.

import { describeError } from '../../scope/index.ts'
import type { AgentCheck, AgentSummary } from './check-agent.ts'
import { checkModels, modelNames } from './check-models.ts'
import { loadAgent } from './load-agent.ts'

async function check(path: string): Promise<AgentSummary> {
  const file = await loadAgent(path)
  const models = await checkModels(file)
  const { agent, afterCall = {} } = file
  return {
    name: file.name,
    agent: (typeof agent === 'function' ? agent() : agent).name,
    models: modelNames(models),
    afterCall: Object.keys(afterCall),
  }
}

function send(answer: AgentCheck): void {
  // The parent kills this process once it has the answer. Without a parent, there is nothing left to do.
  if (process.connected) process.send!(answer)
  else process.exit(1)
}

process.on('disconnect', () => process.exit(1))
check(process.argv[2] ?? '').then(
  (agent) => send({ agent }),
  (error: unknown) => {
    const { code = 'FAILED', message } = describeError(error)
    send({ error: { code, message } })
  },
)
