// #region the lines that are added: the imports and the guard
import 'endwell/guard/install' // once, before the framework
import { formatGuard, guardLiveKit } from 'endwell/guard'
import { voice, type AgentSessionOptions } from '@livekit/agents'

export async function answer(agent: voice.Agent, models: AgentSessionOptions): Promise<voice.AgentSession> {
  const session = new voice.AgentSession(models)
  const call = guardLiveKit(session, { name: 'call 42', closeTimeout: 3_000 })
  call.on('closed', (report) => console.log(formatGuard(report)))
  await session.start({ agent })
  return session
}
// #endregion
