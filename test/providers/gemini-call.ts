import { z } from 'zod'
import { GeminiLive } from '../../src/providers/gemini/index.ts'
import { Agent, Session, tool, type AgentOptions, type SessionOptions } from '../../src/session/index.ts'
import { TestLine, type TestCaller, type World } from '../../src/testing/index.ts'
import { GeminiLiveServer, type GeminiLiveServerOptions } from '../../src/testing/servers/index.ts'
import { KEY } from './gemini-fixture.ts'

export interface GeminiCall extends Partial<Omit<SessionOptions, 'agent' | 'models' | 'line'>> {
  agent?: Partial<AgentOptions>
  server?: GeminiLiveServerOptions
}

/** A session over the simulated network, with a log of its events. */
export function aGeminiCall(
  { clock, random, network }: World,
  { agent, server: manners, ...rest }: GeminiCall = {},
) {
  const server = new GeminiLiveServer({ clock, apiKey: KEY, ...manners })
  network.serve = server.serve
  const line = new TestLine()
  const session = new Session({
    agent: new Agent({ name: 'desk', instructions: 'You answer the phone.', ...agent }),
    models: { realtime: new GeminiLive({ apiKey: KEY }) },
    line,
    clock,
    random,
    network,
    ...rest,
  })
  const log: string[] = []
  session.on('user', ({ text }) => log.push(`user: ${text}`))
  session.on('spoken', ({ outcome }) => log.push(`agent ${outcome.how}: ${outcome.heard}`))
  session.on('tool-done', ({ name, outcome }) => log.push(`${name}: ${outcome.output}`))
  session.on('error', ({ where }) => log.push(`error: ${where}`))
  session.on('closed', ({ reason }) => log.push(`closed: ${reason}`))
  return { session, server, line, caller: line.caller, log }
}

export const find = (run: () => unknown) => tool({ description: 'Finds a slot', input: z.object({}), run })

/** Speaks, and then pauses for long enough that the service detects the end of the turn. */
export async function says(caller: TestCaller, text: string): Promise<void> {
  await caller.says(text)
  await caller.pauses(600)
}
