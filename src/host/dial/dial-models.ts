import type { Models } from '../../session/index.ts'
import type { Agent } from '../../session/index.ts'
import { dialModel, type DialledModel, type DialTarget } from './dial-model.ts'

/** Dials every model of an agent file at the same time: the session's, the agent's own, and each member of a fallback. */
export function dialModels(models: Models, agent: Agent): Promise<DialledModel[]> {
  const owner = `agent '${agent.name}'`
  const targets = [
    ...targetsOf('llm', models.llm),
    ...targetsOf('stt', models.stt),
    ...targetsOf('tts', models.tts),
    ...targetsOf('realtime', models.realtime),
    ...targetsOf('llm', agent.llm, owner),
    ...targetsOf('tts', agent.tts, owner),
  ]
  return Promise.all(targets.map((target) => dialModel(target)))
}

function targetsOf(
  kind: DialTarget['kind'],
  part: DialTarget['part'] | undefined,
  owner?: string,
): DialTarget[] {
  if (!part) return []
  const { members = [] } = part as { readonly members?: readonly DialTarget['part'][] }
  if (members.length > 0) return members.flatMap((member) => targetsOf(kind, member, owner))
  return [{ kind, part, owner } as DialTarget]
}
