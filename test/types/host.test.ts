import { describe, expect, expectTypeOf, it } from 'vitest'

import type { CloseReason, Models, Session, SessionReport, SessionState } from '../../src/index.ts'
import {
  Host,
  HttpServer,
  Logbook,
  culpritsOf,
  listen,
  type AgentFile,
  type CallOptions,
  type Culprit,
  type FaultBoard,
  type HostInfo,
  type HostOptions,
  type ListMessage,
  type LiveEvent,
  type LiveMessage,
  type LoggedSession,
  type Refusal,
  type Refused,
  type ListenOptions,
  type SessionSummary,
} from '../../src/host/index.ts'
import type { ErrorCode, Resource, Scope } from '../../src/scope/index.ts'

// These tests are checked by the compiler (`npm run check:types`). Their code never runs.
const types = (code: () => unknown): void => expect(code).toBeTypeOf('function')
declare const scope: Scope<string>
declare const session: Session
declare const report: SessionReport
const info: HostOptions['info'] = { name: 'clinic', version: '1.0.0', mode: 'production' }

describe('a host', () => {
  it('needs a scope and a description, and takes known options only', () =>
    types(() => {
      const host = new Host({ scope, info, secret: 'secret', reports: 50 })
      expectTypeOf(host.logbook).toEqualTypeOf<Logbook>()
      // @ts-expect-error a host belongs to a scope
      const unowned: HostOptions = { info }
      // @ts-expect-error no such mode
      const mode: HostOptions = { scope, info: { ...info, mode: 'test' } }
      // @ts-expect-error the host knows its faults from the board
      const faults: HostOptions = { scope, info: { ...info, faults: [] } }
      // @ts-expect-error a variable that is not set would open the host to this machine
      const secret: HostOptions = { scope, info, secret: undefined }
      // @ts-expect-error misspelt
      const misspelt: HostOptions = { scope, info, maxStream: 3 }
      return [host, unowned, mode, faults, secret, misspelt]
    }))

  it('logs sessions, and says why it refuses a request', () =>
    types((host = {} as Host) => {
      expectTypeOf(host.add(session, { agent: 'clinic' })).toEqualTypeOf<LoggedSession>()
      expectTypeOf(host.refuses({} as never)).toEqualTypeOf<Refused | undefined>()
      expectTypeOf<Refused['status']>().toEqualTypeOf<401 | 403 | 429>()
      expectTypeOf<Refused['code']>().toEqualTypeOf<ErrorCode>()
      expectTypeOf<Refusal['error']['code']>().toEqualTypeOf<ErrorCode>()
      // @ts-expect-error a note has no such field
      host.add(session, { caller: '+49' })
      // @ts-expect-error the logbook cannot be replaced
      host.logbook = new Logbook(scope)
    }))

  it('can have a board of faults that is a plain object', () =>
    types(() => {
      const board: FaultBoard = { list: () => [{ name: 'slow', about: 'Answers late' }], set() {} }
      // @ts-expect-error each fault is described
      const bare: FaultBoard = { list: () => [{ name: 'slow' }], set() {} }
      return [board, bare]
    }))
})

describe('a server', () => {
  it('is started by `serve`, and owned as a resource', () =>
    types(async (app = {} as ListenOptions['app']) => {
      const server = await listen({ scope, app, port: 0 })
      expectTypeOf(server).toEqualTypeOf<HttpServer>()
      expectTypeOf<HttpServer>().toExtend<Resource>()
      expectTypeOf(server.port).toEqualTypeOf<number>()
      // @ts-expect-error a port is a number
      await listen({ scope, app, port: process.env['PORT'] })
      // @ts-expect-error a port is chosen, if only by 0
      await listen({ scope, app })
      // @ts-expect-error whether the request was taken is part of the answer
      await listen({ scope, app, port: 0, request: () => {} })
      // @ts-expect-error a server is made by `serve`
      return new HttpServer({ scope, app, port: 0 })
    }))

  it('serves an app of the host, or any that has `fetch`', () => {
    expectTypeOf<Host['app']>().toExtend<ListenOptions['app']>()
    expectTypeOf<{ fetch(request: Request): Promise<Response> }>().toExtend<ListenOptions['app']>()
    expectTypeOf<{ fetch(request: Request): string }>().not.toExtend<ListenOptions['app']>()
  })
})

describe('an agent file', () => {
  it('has an agent and models per call, and cannot set what the host sets', () =>
    types((agent = {} as AgentFile['agent'], models = () => ({}) as Models) => {
      const file: AgentFile = { name: 'clinic', agent, models, session: { idleTimeout: 60_000 } }
      const perCall: AgentFile = {
        name: 'clinic',
        agent,
        models,
        session: ({ id }) => ({ goodbye: { idle: id } }),
      }
      // @ts-expect-error models are made for each call
      const shared: AgentFile = { name: 'clinic', agent, models: models() }
      // @ts-expect-error the host gives a session its line
      const line: AgentFile = { name: 'clinic', agent, models, session: { line: {} } }
      // @ts-expect-error the host names sessions
      const id: CallOptions = { id: 'call-7' }
      return [file, perCall, shared, line, id]
    }))
})

describe('the logbook', () => {
  it('lists summaries that cannot be changed', () =>
    types((logbook = {} as Logbook) => {
      const [summary] = logbook.list({ state: 'closed', clean: false })
      expectTypeOf(summary).toEqualTypeOf<SessionSummary | undefined>()
      expectTypeOf(summary!.reason).toEqualTypeOf<CloseReason | undefined>()
      expectTypeOf(summary!.state).toEqualTypeOf<SessionState>()
      expectTypeOf(logbook.get('id')).toEqualTypeOf<LoggedSession | undefined>()
      expectTypeOf(logbook.watch(({ id }) => id)).toEqualTypeOf<() => void>()
      // @ts-expect-error only live and closed sessions can be asked for
      logbook.list({ state: 'ending' })
      // @ts-expect-error read-only
      summary!.clean = true
    }))

  it('finds what is at fault, with a known outcome', () =>
    types(() => {
      for (const { kind, outcome } of culpritsOf(report)) {
        // @ts-expect-error no such kind
        if (kind === 'socket') return
        // @ts-expect-error misspelt
        if (outcome === 'timedout') return
      }
      expectTypeOf<'problem' | 'abandoned' | 'dropped'>().toExtend<Culprit['outcome']>()
      // What ended well is not at fault.
      expectTypeOf<'done'>().not.toExtend<Culprit['outcome']>()
    }))
})

describe('the messages of a host', () => {
  it('are told apart by their type', () =>
    types((live = {} as LiveMessage, list = {} as ListMessage) => {
      if (live.type === 'closed') expectTypeOf(live.report).toEqualTypeOf<SessionReport>()
      if (live.type === 'batch') expectTypeOf(live.events).toEqualTypeOf<readonly LiveEvent[]>()
      if (live.type === 'snapshot') expectTypeOf(live.summary).toEqualTypeOf<SessionSummary>()
      if (list.type === 'sessions') expectTypeOf(list.sessions).toEqualTypeOf<readonly SessionSummary[]>()
      if (list.type === 'session') expectTypeOf(list.session).toEqualTypeOf<SessionSummary>()
      // @ts-expect-error no such message
      return live.type === 'open'
    }))

  it('have events with the data of their type, and a time', () =>
    types((event = {} as LiveEvent) => {
      expectTypeOf(event.at).toEqualTypeOf<number>()
      if (event.type === 'tool-done') expectTypeOf(event.failed).toEqualTypeOf<boolean>()
      if (event.type === 'warning') expectTypeOf(event.reason).toEqualTypeOf<CloseReason>()
      if (event.type === 'spoken')
        expectTypeOf(event.how).toEqualTypeOf<'played' | 'interrupted' | 'failed'>()
      // @ts-expect-error data of another event
      if (event.type === 'user') return event.digits
      // @ts-expect-error no such event
      return event.type === 'userSaid'
    }))

  it('describe the host in JSON that cannot be changed', () =>
    types((described = {} as HostInfo) => {
      expectTypeOf(described.mode).toEqualTypeOf<'demo' | 'dev' | 'production'>()
      // @ts-expect-error read-only
      described.faults.push({ name: '', about: '', on: true })
    }))
})
