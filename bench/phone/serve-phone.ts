import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TwilioCalls } from '../../src/lines/twilio/index.ts'
import { wsNetwork } from '../../src/link/index.ts'
import { silentLogger } from '../../src/parts/index.ts'
import { LocalVad } from '../../src/providers/local/index.ts'
import { Scope, systemClock } from '../../src/scope/index.ts'
import { Agent, Session, type Models } from '../../src/session/index.ts'
import type { Server } from '../calls/load.ts'
import { llm, stt, tts } from '../calls/stubs.ts'

const agent = new Agent({ instructions: 'You answer the phone.' })
/** What the caller says is transcribed, but never interrupts the agent. */
const turns = { bargeIn: { minWords: 1_000 } }

const defaultModels = (): Models => ({ llm, tts, stt, vad: new LocalVad() })

/** Throws outside of the caller: otherwise the benchmark would wait forever for a call that is not answered. */
function fail({ error }: { error?: unknown }): void {
  queueMicrotask(() => {
    throw error
  })
}

/** Answers phone calls, each with its own session. */
export async function servePhone(
  answered: (session: Session) => void,
  models: () => Models = defaultModels,
): Promise<Server> {
  const scope = new Scope<string>('bench')
  const sessions = new Set<Session>()
  const calls = new TwilioCalls({
    scope,
    maxCalls: 1_000,
    maxRate: 1_000,
    logger: { ...silentLogger, warn: fail },
    onCall: async (line) => {
      const session = new Session({ agent, models: models(), line, turns })
      sessions.add(session)
      session.on('closed', () => void sessions.delete(session))
      await session.start()
      answered(session)
    },
  })
  const server = createServer((request, response) => void calls.request(request, response))
  server.on('upgrade', (request, tcp, head) => calls.upgrade(request, tcp, head))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/phone/answer`,
    left: () => sessions.size + calls.size + wsNetwork.sockets.size + systemClock.timers.size,
    close: async () => {
      await scope.close()
      server.close()
    },
  }
}
