import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { wsNetwork } from '../../src/link/index.ts'
import { WebSocketCalls } from '../../src/lines/websocket/index.ts'
import { LocalVad } from '../../src/providers/local/index.ts'
import { Scope, noop, systemClock } from '../../src/scope/index.ts'
import { Agent, Session } from '../../src/session/index.ts'
import type { Server } from './load.ts'
import { llm, stt, tts } from './stubs.ts'

const agent = new Agent({ instructions: 'You answer the phone.' })
/** What the caller says is transcribed, but never interrupts the agent. */
const turns = { bargeIn: { minWords: 1_000 } }

/** Answers browser calls, each with its own session. */
export async function serveCalls(answered: (session: Session) => void): Promise<Server> {
  const scope = new Scope<string>('bench')
  const sessions = new Set<Session>()
  const calls = new WebSocketCalls({
    scope,
    maxCalls: 1_000,
    maxRate: 1_000,
    onCall: async (line) => {
      const models = { llm, tts, stt, vad: new LocalVad() }
      const session = new Session({ agent, models, line, turns })
      sessions.add(session)
      session.on('closed', () => void sessions.delete(session))
      await session.start()
      answered(session)
    },
  })
  const server = createServer()
  server.on('upgrade', (request, tcp, head) => calls.upgrade(request, tcp, head))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/call`,
    left: () => sessions.size + calls.size + wsNetwork.sockets.size + systemClock.timers.size,
    close: async () => {
      await scope.close()
      server.close()
    },
  }
}

/** Makes the agent reply again and again while the session is live. */
export function talk(session: Session): void {
  const next = (): void => {
    if (session.state === 'live') session.reply().waitForPlayout().then(next).catch(noop)
  }
  next()
}
