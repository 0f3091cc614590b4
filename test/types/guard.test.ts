import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { describe, expect, expectTypeOf, it } from 'vitest'

import {
  formatGuard,
  guard,
  guardAdk,
  guardGemini,
  guardLiveKit,
  guardOpenAI,
  outside,
  type GeminiCallbacks,
  type GeminiLive,
  type Guard,
  type GuardAdkOptions,
  type GuardClosedError,
  type GuardOptions,
  type GuardReport,
  type LiveKitSession,
  type OpenAISession,
  type OpenedKind,
  type SeveredReport,
} from '../../src/guard/index.ts'
import type { install } from '../../src/guard/install.ts'
import type { ErrorCode, ScopeReport } from '../../src/scope/index.ts'

// These tests are checked by the compiler (`npm run check:types`). Their code never runs.
const types = (code: () => unknown): void => expect(code).toBeTypeOf('function')
declare const call: Guard

describe('a guard', () => {
  it('takes known options only', () =>
    types(() => {
      expectTypeOf(guard({ name: 'call 42', closeTimeout: 3_000, close: () => {} })).toEqualTypeOf<Guard>()
      expectTypeOf(guard()).toEqualTypeOf<Guard>()
      // @ts-expect-error the old name
      guard({ closeWithin: 3_000 })
      // @ts-expect-error times are numbers
      guard({ closeTimeout: '3 s' })
      // @ts-expect-error an option that is not set is left out
      guard({ name: undefined })
      guard({
        close: (signal) => expectTypeOf(signal).toEqualTypeOf<AbortSignal>(),
        ignore: (to) => to === 'db:5432',
        onLate: ({ outcome }) =>
          expectTypeOf(outcome).toEqualTypeOf<'ended' | 'cancelled' | 'failed' | 'timed-out'>(),
      })
      // @ts-expect-error to ignore a connection is a decision
      guard({ ignore: (to) => console.log(to) })
    }))

  it('returns what it runs, binds, wraps and adopts as it is', () =>
    types(async (socket = {} as Socket, child = {} as ChildProcess) => {
      expectTypeOf(call.run(() => 7)).toEqualTypeOf<number>()
      expectTypeOf(call.run(async () => 'a')).toEqualTypeOf<Promise<string>>()
      expectTypeOf(outside(() => true)).toEqualTypeOf<boolean>()
      const bound = call.bind((name: string, count: number) => name.length + count)
      expectTypeOf(bound).toEqualTypeOf<(name: string, count: number) => number>()
      expectTypeOf(call.wrap({ say: (text: string) => text })).toEqualTypeOf<{
        say: (text: string) => string
      }>()
      expectTypeOf(call.adopt(socket)).toEqualTypeOf<Socket>()
      expectTypeOf(call.adopt(child)).toEqualTypeOf<ChildProcess>()
      for await (const event of call.iterate({} as AsyncIterable<{ id: number }>))
        expectTypeOf(event).toEqualTypeOf<{ id: number }>()
      // @ts-expect-error something that cannot be cut off cannot be adopted
      call.adopt({ end() {} })
      // @ts-expect-error only objects have methods to wrap
      call.wrap('session')
    }))

  it('closes to a report, and emits it once', () =>
    types(async () => {
      expectTypeOf(await call.close({ reason: 'done', closeTimeout: 100 })).toEqualTypeOf<GuardReport>()
      expectTypeOf(call.on('closed', () => {})).toEqualTypeOf<() => void>()
      call.on('closed', (report) => expectTypeOf(report).toEqualTypeOf<GuardReport>())
      expectTypeOf(call.state).toEqualTypeOf<'live' | 'closing' | 'closed'>()
      expectTypeOf(call.abort()).toEqualTypeOf<void>()
      // @ts-expect-error no other events
      call.on('close', () => {})
      // @ts-expect-error a guard has no tasks that could close it from inside
      await call.close({ from: {} })
    }))

  it('must be installed first, by a function without arguments', () => {
    expectTypeOf<typeof install>().toEqualTypeOf<() => void>()
    expectTypeOf<GuardClosedError['code']>().toEqualTypeOf<ErrorCode>()
  })
})

describe('the report of a guard', () => {
  it('is the report of a scope, whose end may be unverified', () =>
    types((report = {} as GuardReport) => {
      expectTypeOf<GuardReport>().toExtend<ScopeReport>()
      expectTypeOf(report.graceful).toEqualTypeOf<boolean | 'unverified'>()
      expectTypeOf(report.severed).toEqualTypeOf<readonly SeveredReport[]>()
      expectTypeOf<SeveredReport['kind']>().toEqualTypeOf<OpenedKind>()
      expectTypeOf(formatGuard(report, { color: true })).toEqualTypeOf<string>()
      // @ts-expect-error read-only
      report.refused = 0
      // @ts-expect-error a list in a report cannot grow
      report.severed.push({ kind: 'socket', name: '', age: 0 })
      // @ts-expect-error no such kind
      if (report.severed[0]?.kind === 'tcp') return
      // @ts-expect-error the report of a scope knows nothing of sockets
      formatGuard({} as ScopeReport)
    }))
})

describe('guards for other frameworks', () => {
  it('take sessions by what they can do', () =>
    types((session = {} as OpenAISession, livekit = {} as LiveKitSession) => {
      expectTypeOf(guardOpenAI(session, { connectTimeout: 5_000 })).toEqualTypeOf<Guard>()
      expectTypeOf(guardLiveKit(livekit, { drain: 1_000 })).toEqualTypeOf<Guard>()
      // @ts-expect-error a session of another framework
      guardOpenAI(livekit)
      // @ts-expect-error how the session closes is known
      guardOpenAI(session, { close: () => {} })
      // @ts-expect-error milliseconds, not a flag
      guardLiveKit(livekit, { drain: true })
      expectTypeOf<GuardAdkOptions>().not.toHaveProperty('close')
      expectTypeOf<GuardOptions>().toHaveProperty('close')
    }))

  it('keep the types of parameters and sessions of Gemini', () =>
    types(async () => {
      interface Parameters {
        model: string
        callbacks: GeminiCallbacks
      }
      const live = {} as GeminiLive<Parameters, { close(): void; sendText(text: string): string }>
      const guarded = guardGemini(live)
      expectTypeOf(guarded).toExtend<Guard>()
      const session = await guarded.connect({ model: 'live', callbacks: { onmessage: () => {} } })
      expectTypeOf(session.sendText('Hello.')).toEqualTypeOf<string>()
      // @ts-expect-error the model is missing
      await guarded.connect({ callbacks: { onmessage: () => {} } })
    }))

  it('keep the type of the events of an ADK run', () =>
    types(async (run = {} as AsyncGenerator<{ author: string }, void, undefined>) => {
      for await (const event of guardAdk(run).events) expectTypeOf(event.author).toEqualTypeOf<string>()
      // @ts-expect-error a finished list is not a run
      guardAdk([{ author: 'agent' }])
    }))
})
