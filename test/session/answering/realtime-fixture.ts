import { z } from 'zod'
import { Agent, Session, tool, type AgentOptions, type SessionOptions } from '../../../src/session/index.ts'
import {
  ScriptedRealtime,
  TestLine,
  type TestCaller,
  type ScriptedRealtimeOptions,
  type TestLineOptions,
  type World,
} from '../../../src/testing/index.ts'

interface RealtimeCall extends Partial<Omit<SessionOptions, 'agent' | 'models' | 'line'>> {
  agent?: Partial<AgentOptions>
  realtime?: ScriptedRealtimeOptions
  line?: TestLineOptions
}

/** Creates a session with a realtime model, and records its events. */
export function aRealtimeCall({ clock, random }: World, options: RealtimeCall = {}) {
  const { agent, realtime: script, line: lineOptions, ...rest } = options
  const realtime = new ScriptedRealtime(script)
  const line = new TestLine(lineOptions)
  const session = new Session({
    agent: new Agent({ name: 'desk', instructions: 'You answer the phone.', ...agent }),
    models: { realtime },
    line,
    clock,
    random,
    ...rest,
  })
  const log: string[] = []
  session.on('user', ({ text }) => log.push(`user: ${text}`))
  session.on('spoken', ({ outcome }) => log.push(`agent ${outcome.how}: ${outcome.heard}`))
  session.on('tool-done', ({ name, outcome }) => log.push(`${name}: ${outcome.output}`))
  session.on('guardrail', ({ name, on }) => log.push(`${name} objects to ${on}`))
  session.on('error', ({ where }) => log.push(`error: ${where}`))
  session.on('closed', ({ reason }) => log.push(`closed: ${reason}`))
  return { session, realtime, line, caller: line.caller, log }
}

export const find = (run: () => unknown) => tool({ description: 'Finds a slot', input: z.object({}), run })

/** The caller speaks, and then pauses until the model has heard the end of the turn. */
export function says(caller: TestCaller, words: string): void {
  caller
    .says(words)
    .then(() => caller.pauses(400))
    .catch(() => {})
}

/** How long it takes until the model has heard the end of these words. */
export const heardAfter = (words: string): number => words.length * 50 + 300

/** Whether the caller hears anything within the next 60 ms. */
export async function isSounding({ clock }: World, line: TestLine): Promise<boolean> {
  const before = line.heard.length
  await clock.elapse(60)
  return line.heard.length > before
}
