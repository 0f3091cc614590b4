import { z } from 'zod'
import type { Realtime } from '../../src/parts/index.ts'
import { Agent, Session, tool, type AgentOptions, type SessionOptions } from '../../src/session/index.ts'
import { TestLine, type World } from '../../src/testing/index.ts'

export interface RealtimeCallOptions extends Partial<Omit<SessionOptions, 'agent' | 'models' | 'line'>> {
  agent?: Partial<AgentOptions>
}

/** A session on a realtime model over the simulated network, with a log of its events. */
export function realtimeCall(
  { clock, random, network }: World,
  realtime: Realtime,
  { agent, ...rest }: RealtimeCallOptions,
) {
  // The model's rate, because `textOf` cannot read resampled audio.
  const line = new TestLine({ hears: realtime.hears[0]! })
  const session = new Session({
    agent: new Agent({ name: 'desk', instructions: 'You answer the phone.', ...agent }),
    models: { realtime },
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
  return { session, line, caller: line.caller, log }
}

/** A tool without input. */
export const find = (run: () => unknown) => tool({ description: 'Finds a slot', input: z.object({}), run })
