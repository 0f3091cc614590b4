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

/** Creates a session with scripted models and a caller, in virtual time, and records its events. */
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
  /** Names of the timers that the code under test has set. */
  const clockTimers = (): string[] => clock.timers.list().map(({ name }) => name)
  return { session, ...parts, caller: parts.line.caller, faults, log, reports, errors, clock, clockTimers }
}

/** Creates a call and starts its session. */
export async function aLiveCall(world: World, options?: CallOptions): Promise<Call> {
  const call = aCall(world, options)
  await call.session.start()
  return call
}

/** 40 characters, which take the scripted voice 50 ms each: 2,000 ms. */
export const greeting = 'Good morning, this is Bright Dental now.'

/** The items of the history, one line each. */
export function said({ history }: Session): string[] {
  return history.items.map((item) => {
    if (item.type === 'message') return `${item.role}: ${item.text}${item.interrupted ? ' —' : ''}`
    if (item.type === 'handoff') return `${item.from} → ${item.to}`
    if (item.type === 'keys') return `pressed ${item.keys}${item.interrupted ? ' —' : ''}`
    return `${item.name} → ${item.result?.output ?? '…'}`
  })
}

/** A session, its parts, and the record of its events. */
export type Call = ReturnType<typeof aCall>

/** Checks that nothing of the call is left, nothing was audible after closing, and `closed` was emitted once. */
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

/** A logger that records its lines. */
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

/** A promise with its resolve and reject functions. */
export function aPromise<T = void>() {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

/** A promise that never settles. */
export const never = (): Promise<never> => new Promise(() => {})

/** Waits for a promise and returns the time at which it settled. */
export async function whenSettled(clock: World['clock'], promise: Promise<unknown>): Promise<number> {
  await promise
  return clock.now()
}
