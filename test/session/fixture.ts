import { expect } from 'vitest'
import type { Logger } from '../../src/parts/index.ts'
import {
  Agent,
  Session,
  type AgentOptions,
  type SessionOptions,
  type SessionReport,
} from '../../src/session/index.ts'
import {
  Faults,
  ScriptedLlm,
  ScriptedStt,
  ScriptedTts,
  ScriptedVad,
  TestLine,
  type LlmAnswer,
  type ScriptedLlmOptions,
  type ScriptedSttOptions,
  type ScriptedTtsOptions,
  type TestLineOptions,
  type World,
} from '../../src/testing/index.ts'

export interface CallOptions extends Partial<Omit<SessionOptions, 'agent' | 'models' | 'line'>> {
  agent?: Partial<AgentOptions> | Agent
  answers?: readonly LlmAnswer[]
  llm?: ScriptedLlmOptions
  stt?: ScriptedSttOptions
  tts?: ScriptedTtsOptions
  line?: TestLineOptions
}

/** A session with scripted models and a caller, in virtual time, and everything that happens to it written down. */
export function aCall(world: World, options: CallOptions = {}) {
  const { agent, answers = [], llm, stt, tts, line, ...rest } = options
  const { clock, random } = world
  const parts = {
    llm: new ScriptedLlm({ answers, ...llm }),
    stt: new ScriptedStt({ finalOn: 'flush', ...stt }),
    tts: new ScriptedTts(tts),
    vad: new ScriptedVad(),
    line: new TestLine(line),
  }
  const faults = new Faults((ms) => clock.elapse(ms))
  const session = new Session({
    agent:
      agent instanceof Agent
        ? agent
        : new Agent({ name: 'desk', instructions: 'You answer the phone.', ...agent }),
    models: { llm: parts.llm, stt: parts.stt, tts: parts.tts, vad: parts.vad },
    line: parts.line,
    id: 'test',
    clock,
    random,
    intercept: faults.intercept,
    ...rest,
  })
  const log: string[] = []
  const reports: SessionReport[] = []
  const errors: unknown[] = []
  session.on('user', ({ text }) => log.push(`user: ${text}`))
  session.on('spoken', ({ outcome }) => log.push(`agent ${outcome.how}: ${outcome.heard}`))
  session.on('error', ({ where, error }) => {
    log.push(`error: ${where}`)
    errors.push(error)
  })
  session.on('closed', (report) => {
    log.push(`closed: ${report.reason}`)
    reports.push(report)
  })
  /** The timers of the code under test that are set now. */
  const clockTimers = (): string[] => clock.timers.list().map(({ name }) => name)
  return { session, ...parts, caller: parts.line.caller, faults, log, reports, errors, clock, clockTimers }
}

/** What was said, as it stands in the history. */
export function said({ history }: Session): string[] {
  return history.items.map((item) => {
    if (item.type === 'message') return `${item.role}: ${item.text}${item.interrupted ? ' —' : ''}`
    if (item.type === 'handoff') return `${item.from} → ${item.to}`
    return `${item.name} → ${item.result?.output ?? '…'}`
  })
}

/** A call with everything in it, and what its listeners wrote down. */
export type Call = ReturnType<typeof aCall>

/** Nothing of the call is left, nothing was heard too late, and everybody was told once. */
export function expectEnded({ session, reports, line, stt, tts, llm, vad }: Call): SessionReport {
  const [report] = reports
  const live = Object.fromEntries(
    Object.entries({ line, stt, tts, llm, vad }).map(([name, part]) => [name, part.counts.live]),
  )
  expect({ state: session.state, closedEvents: reports.length, ...live }).toEqual({
    state: 'closed',
    closedEvents: 1,
    line: 0,
    stt: 0,
    tts: 0,
    llm: 0,
    vad: 0,
  })
  expect(report!.took).toBeLessThanOrEqual(report!.closeTimeout)
  if (line.counts.opened > 0) {
    expect(line.audibleAfterClosing).toBe(0)
    expect(line.playedTooLate).toEqual([])
  }
  return report!
}

/** A logger that remembers: `info session closing`, with its fields. */
export function aLogger() {
  const lines: {
    readonly level: string
    readonly message: string
    readonly fields: Record<string, unknown>
  }[] = []
  const write =
    (level: string) =>
    (fields: object, message: string): void => {
      lines.push({ level, message, fields: { ...fields } })
    }
  const logger: Logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  }
  return { logger, lines }
}

/** A promise that is settled by hand. */
export function aPromise<T = void>() {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

/** What never comes. */
export const never = (): Promise<never> => new Promise(() => {})

/** When a promise settles, in the clock's time. */
export async function whenSettled(clock: World['clock'], promise: Promise<unknown>): Promise<number> {
  await promise
  return clock.now()
}
