import type { HttpBindings } from '@hono/node-server'
import { Hono, type Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { describeError, EndwellError, noop, OptionError, type ErrorCode } from '../scope/index.ts'
import type { EventStreams, Subscription } from './event-streams.ts'
import type { Faults } from './fault-board.ts'
import type { Asked, Gate, Refused } from './gate.ts'
import { limits } from './limits.ts'
import type { Logbook, LogbookQuery } from './logbook.ts'
import type { LoggedSession } from './logged-session.ts'
import type { PageFile, PageFiles } from './page-files.ts'
import { securityHeaders } from './security-headers.ts'
import type { HostInfo, ListMessage, Refusal } from './wire/index.ts'

export type HostHttp = Hono<{ Bindings: Partial<HttpBindings> }>
type Ask = Context<{ Bindings: Partial<HttpBindings> }>

export interface AppParts {
  readonly logbook: Logbook
  readonly gate: Gate
  readonly streams: EventStreams
  readonly info: Omit<HostInfo, 'faults'>
  readonly callToken: (() => string) | undefined
  readonly faults: Faults | undefined
  readonly files: PageFiles | undefined
}

/** The host over HTTP: an interface for programs below `/api`, and the page. */
export function hostApp(parts: AppParts): HostHttp {
  const app: HostHttp = new Hono()
  guard(app, parts.gate)
  app.post('/api/login', (ask) => logIn(ask, parts.gate))
  app.post('/api/logout', (ask) => {
    const cookie = parts.gate.logOut(askedBy(ask))
    if (cookie !== '') ask.header('set-cookie', cookie)
    return ask.body(null, 204)
  })
  reading(app, parts)
  watching(app, parts)
  acting(app, parts)
  if (parts.faults) faulting(app, parts.faults, parts)
  app.all('/api/*', (ask) => refuse(ask, 404, 'NOT_FOUND', 'not found'))
  app.get('*', (ask) => page(ask, parts.files))
  app.onError((error, ask) => {
    if (error instanceof OptionError) return refuse(ask, 400, error.code, error.message)
    return refuse(ask, 500, 'FAILED', `internal error: ${describeError(error).name}`)
  })
  return app
}

// ── who may ask ──

function guard(app: HostHttp, gate: Gate): void {
  app.use(async (ask, next) => {
    const no = gate.refusesName(askedBy(ask))
    // Errors make a new answer, so the headers are set on what is sent in the end.
    if (no) ask.res = refuseWith(ask, no)
    else await next()
    const host = no ? 'localhost' : (ask.req.header('host') ?? 'localhost')
    for (const [name, value] of Object.entries(securityHeaders(host))) ask.res.headers.set(name, value)
  })
  const small = bodyLimit({
    maxSize: limits.body,
    onError: (ask) => refuse(ask, 413, 'TOO_LARGE', `the request is larger than ${limits.body} bytes`),
  })
  app.use('/api/*', async (ask, next) => {
    const asked = askedBy(ask)
    const open = ask.req.path === '/api/login' || ask.req.path === '/api/logout'
    const no = open ? gate.refusesOrigin(asked) : gate.refuses(asked)
    if (no) return refuseWith(ask, no)
    ask.header('cache-control', 'no-store')
    return small(ask, next)
  })
}

async function logIn(ask: Ask, gate: Gate): Promise<Response> {
  const body: unknown = await ask.req.json().catch(noop)
  const secret = field(body, 'secret')
  if (typeof secret !== 'string') return refuse(ask, 400, 'BAD_REQUEST', 'send { "secret": "…" }')
  const outcome = gate.logIn(askedBy(ask), secret)
  if ('refused' in outcome) return refuseWith(ask, outcome.refused)
  if (outcome.cookie !== '') ask.header('set-cookie', outcome.cookie)
  return ask.body(null, 204)
}

// ── what can be read ──

function reading(app: HostHttp, { logbook, info, faults }: AppParts): void {
  app.get('/api/info', (ask) => ask.json<HostInfo>({ ...info, faults: faults?.list() ?? [] }))
  app.get('/api/sessions', (ask) => ask.json({ sessions: logbook.list(queryOf(ask)) }))
  app.get('/api/sessions/:id', (ask) => withSession(ask, logbook, (session) => ask.json(session.details())))
}

function queryOf(ask: Ask): LogbookQuery {
  const { q = '', state = '', clean = '' } = ask.req.query()
  if (q.length > limits.query) throw new OptionError(`the query is longer than ${limits.query} characters`)
  if (state !== '' && state !== 'live' && state !== 'closed')
    throw new OptionError(`state must be 'live' or 'closed', not '${state}'`)
  if (clean !== '' && clean !== 'true' && clean !== 'false')
    throw new OptionError(`clean must be 'true' or 'false', not '${clean}'`)
  return {
    words: q,
    ...(state === '' ? {} : { state }),
    ...(clean === '' ? {} : { clean: clean === 'true' }),
  }
}

// ── what can be watched ──

function watching(app: HostHttp, { logbook, streams, faults }: AppParts): void {
  app.get('/api/events', (ask) =>
    stream(ask, streams, 'sessions', (out) => {
      const tell = (message: ListMessage): void => out.send(message)
      tell({ type: 'sessions', sessions: logbook.list() })
      if (faults) tell({ type: 'faults', faults: faults.list() })
      const off = faults?.watch(() => tell({ type: 'faults', faults: faults.list() }))
      const stop = logbook.watch((session) => tell({ type: 'session', session }))
      return () => {
        off?.()
        stop()
      }
    }),
  )
  app.get('/api/sessions/:id/events', (ask) =>
    withSession(ask, logbook, (session) =>
      stream(ask, streams, `session ${session.id}`, (out) =>
        session.watch((message) => {
          out.send(message)
          if (message.type === 'closed') out.end()
        }),
      ),
    ),
  )
}

function stream(ask: Ask, streams: EventStreams, name: string, subscribe: Subscription): Response {
  const opened = streams.open(name, subscribe)
  if (!opened) return refuse(ask, 503, 'TOO_MANY_STREAMS', 'too many open event streams')
  return ask.body(opened.body, 200, {
    'content-type': 'text/event-stream; charset=utf-8',
    // A proxy that collects what comes would make the news old.
    'x-accel-buffering': 'no',
  })
}

// ── what can be done ──

function acting(app: HostHttp, { logbook, callToken }: AppParts): void {
  const act = (verb: string, work: (session: NonNullable<LoggedSession['session']>) => void): void => {
    app.post(`/api/sessions/:id/${verb}`, (ask) =>
      withSession(ask, logbook, (logged) => {
        const { session } = logged
        if (!session) return refuse(ask, 409, 'SESSION_CLOSED', `session '${logged.id}' is closed`)
        try {
          work(session)
        } catch (error) {
          const code = error instanceof EndwellError ? error.code : 'FAILED'
          return refuse(ask, 409, code, describeError(error).message)
        }
        return ask.json({ summary: logged.summary }, 202)
      }),
    )
  }
  // Both never reject, or are told by the report.
  act('close', (session) => {
    session.close({ by: 'studio' }).catch(noop)
  })
  act('drain', (session) => {
    session.drain({ by: 'studio' }).catch(noop)
  })
  act('interrupt', (session) => session.interrupt())
  // By POST: a page of another origin can make a browser read, but not act.
  if (callToken) app.post('/api/call-token', (ask) => ask.json({ token: callToken() }))
}

/** In production this is never called: there is no such address there. */
function faulting(app: HostHttp, faults: Faults, { info }: AppParts): void {
  if (info.mode === 'production') return
  app.put('/api/faults', async (ask) => {
    const body: unknown = await ask.req.json().catch(noop)
    const names = field(body, 'names')
    if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
      return refuse(ask, 400, 'BAD_REQUEST', 'send { "names": ["…"] }')
    faults.set(names)
    return ask.json({ faults: faults.list() })
  })
}

// ── the page ──

function page(ask: Ask, files: PageFiles | undefined): Response {
  const file = files?.get(ask.req.path)
  if (!file) {
    const text = files ? 'Not found.' : 'This host has no page; see /api/info.'
    return ask.text(`${text}\n`, 404)
  }
  ask.header('etag', file.etag)
  ask.header('vary', 'accept-encoding')
  ask.header('cache-control', file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache')
  if (ask.req.header('if-none-match') === file.etag) return ask.body(null, 304)
  return send(ask, file)
}

function send(ask: Ask, { type, plain, gzip }: PageFile): Response {
  ask.header('content-type', type)
  if (!/\bgzip\b/.test(ask.req.header('accept-encoding') ?? '')) return ask.body(plain)
  ask.header('content-encoding', 'gzip')
  return ask.body(gzip)
}

// ── in common ──

function withSession(ask: Ask, logbook: Logbook, then: (session: LoggedSession) => Response): Response {
  const id = ask.req.param('id') ?? ''
  const session = logbook.get(id)
  if (session) return then(session)
  return refuse(ask, 404, 'NO_SUCH_SESSION', 'session not found: the host keeps only the latest sessions')
}

function askedBy(ask: Ask): Asked {
  return {
    remote: ask.env?.incoming?.socket.remoteAddress,
    header: (name) => ask.req.header(name),
  }
}

type Status = 400 | 401 | 403 | 404 | 409 | 413 | 429 | 500 | 503

function refuse(ask: Context, status: Status, code: ErrorCode, message: string): Response {
  return ask.json<Refusal>({ error: { code, message } }, status)
}

function refuseWith(ask: Ask, { status, code, message }: Refused): Response {
  if (status === 401) ask.header('www-authenticate', 'Bearer')
  return refuse(ask, status, code, message)
}

function field(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, name)
    ? (body as Record<string, unknown>)[name]
    : undefined
}
