// #region the lines that are added: the imports and the guard
import 'endwell/guard/install' // once, before the framework
import { formatGuard, guardOpenAI, type Guard } from 'endwell/guard'
import {
  RealtimeSession,
  type RealtimeAgent,
  type RealtimeSessionConnectOptions,
} from '@openai/agents/realtime'

export async function answer(agent: RealtimeAgent, where: RealtimeSessionConnectOptions): Promise<Guard> {
  const session = new RealtimeSession(agent, { transport: 'websocket' })
  const call = guardOpenAI(session, { name: 'call 42', closeTimeout: 3_000 })
  call.on('closed', (report) => console.log(formatGuard(report)))
  await session.connect(where)
  return call
}
// #endregion
