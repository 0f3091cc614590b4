// The main file of the process that checks an agent file. See check-agent.ts.

import { describeError } from '../../scope/index.ts'
import { agentFor } from '../agent-file.ts'
import { dialModels } from '../dial/dial-models.ts'
import type { AgentCheck, AgentSummary } from './check-agent.ts'
import { modelNames } from './check-models.ts'
import { PackagesMissingError } from './errors.ts'
import { openAgent } from './open-agent.ts'

async function check(path: string, dial: boolean): Promise<AgentSummary> {
  const { file, models } = await openAgent(path)
  const { afterCall = {} } = file
  const agent = agentFor(file)
  return {
    name: file.name,
    agent: agent.name,
    models: modelNames(models),
    afterCall: Object.keys(afterCall),
    ...(dial ? { dialled: await dialModels(models, agent) } : {}),
  }
}

function send(answer: AgentCheck): void {
  // The parent kills this process once it has the answer. Without a parent, there is nothing left to do.
  if (process.connected) process.send!(answer)
  else process.exit(1)
}

process.on('disconnect', () => process.exit(1))
check(process.argv[2] ?? '', process.argv[3] === 'dial').then(
  (agent) => send({ agent }),
  (error: unknown) => {
    const { code = 'FAILED', message } = describeError(error)
    const packages = error instanceof PackagesMissingError ? error.packages : []
    send({ error: { code, message, packages } })
  },
)
