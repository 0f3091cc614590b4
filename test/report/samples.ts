import {
  Scope,
  type ChildReport,
  type ScopeReport,
  type StepReport,
  type TaskReport,
} from '../../src/scope/index.ts'
import type { World } from '../../src/testing/index.ts'

export const never = (): Promise<never> => new Promise(() => {})
export const patient = ({ until }: { until: (promise: Promise<never>) => Promise<never> }): Promise<never> =>
  until(never())

/** A resource whose close takes `ms`, which may be Infinity, and then throws `error`, if there is one. */
export function closing(clock: World['clock'], ms: number, error?: Error) {
  const close = async (): Promise<void> => {
    await (ms === Infinity ? never() : clock.elapse(ms))
    if (error) throw error
  }
  return { close, abort() {} }
}

/** A report of a close that had nothing to end. */
export function aReport(parts: Partial<ScopeReport> = {}): ScopeReport {
  return {
    version: 1,
    name: 'call',
    reason: 'requested',
    askedAt: '2026-01-01T00:00:00.000Z',
    lived: 60_000,
    took: 100,
    closeTimeout: 5_000,
    phases: ['tasks', 'resources'],
    clean: true,
    alsoAsked: [],
    steps: [],
    tasks: [],
    children: [],
    problems: [],
    totals: { ended: 0, cancelled: 0, failed: 0, abandoned: 0, closer: 0 },
    omitted: 0,
    ...parts,
  }
}

export function aTask(name: string, parts: Partial<TaskReport> = {}): TaskReport {
  return { name, kind: 'task', phase: 'tasks', outcome: 'cancelled', at: 10, ...parts }
}

export function aStep(name: string, parts: Partial<StepReport> = {}): StepReport {
  const healthy = { kind: 'resource', phase: 'resources', outcome: 'done', at: 10, took: 10 } as const
  return { name, ...healthy, forced: false, ...parts }
}

export function aChild(report: ScopeReport, parts: Partial<ChildReport> = {}): ChildReport {
  return { phase: 'tasks', at: 0, askedAt: 0, report, ...parts }
}

/** The first line that contains `text`. */
export function lineWith(text: string, printed: string): string {
  return printed.split('\n').find((line) => line.includes(text)) ?? `no line contains ${text}`
}

export async function badClose({ clock }: World): Promise<ScopeReport> {
  const call = new Scope('call 7f3a', { clock, closeTimeout: 2_000, taskCap: 200, releaseTimeout: 500 })
  call.spawn('mixer', patient)
  call.spawn('crm lookup', never)
  call.spawn('book a table', patient, { shield: 800 })
  call.spawn('guardrail', async (context) => {
    await patient(context).catch(() => {})
    throw new TypeError('no score')
  })
  const turn = call.child('turn 12')
  turn.spawn('llm stream', patient)
  turn.child('tool').spawn('fetch', never)
  call.own('tts link', closing(clock, 30, Object.assign(new Error('hang up'), { code: 'ECONNRESET' })))
  call.own('stt link', closing(clock, Infinity), { cap: 500 })
  call.own('line', closing(clock, 120))
  call.defer('write transcript', () => clock.elapse(2_100))
  call.after(10, 'tick', () => {
    throw new RangeError('tock')
  })
  await clock.elapse(3_000)
  const report = call.close({ reason: 'caller-hung-up', by: 'line' })
  await clock.elapse(200)
  call.close({ reason: 'host-draining', by: 'host' }).catch(() => {})
  return report
}
