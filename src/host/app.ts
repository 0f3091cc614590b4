import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import { describeError, EndwellError, noop, OptionError } from '../scope/index.ts'
import { field, refuse, refuseLarge, refuseUnknown, type HostContext, type HostHttp } from './answers.ts'
import { addCalls } from './calls-api.ts'
import type { Fleet } from './fleet/fleet.ts'
import { isRelayed, relayRequest } from './fleet/relay.ts'
import type { EventStreams, Subscription } from './event-streams.ts'
import type { Faults } from './fault-board.ts'
import type { GateRequest, Gate, Refused } from './gate.ts'
import { limits } from './limits.ts'
import { listQueryIn, listSessions } from './list-sessions.ts'
import type { Logbook } from './logbook.ts'
import type { LoggedSession } from './logged-session.ts'
import { latenciesOf, spentOf } from './measures.ts'
import { addOperations } from './operator-api.ts'
import type { PageFile, PageFiles } from './page-files.ts'
import { addRecordings } from './recordings-api.ts'
import type { Recordings } from './recordings.ts'
import { readJson } from './read-json.ts'
import type { CallsOut } from './reception/calls-out.ts'
import { securityHeaders } from './security-headers.ts'
import type { HostInfo, ListMessage, LiveMessage, SessionDetails } from './wire/index.ts'

export interface AppParts {
  readonly logbook: Logbook
  readonly gate: Gate
  readonly streams: EventStreams
  readonly info: Omit<HostInfo, 'faults'>
  readonly callToken: (() => string) | undefined
  readonly faults: Faults | undefined
  readonly files: PageFiles | undefined
  readonly fleet: Fleet | undefined
  readonly recordings: Recordings | undefined
  readonly callsOut: CallsOut | undefined
  /** Calls the listener when pages should connect again. Returns an unsubscribe function. */
  readonly onLeave: (listener: () => void) => () => void
}

/** Errors that pass: the journal is away, or the supervisor of this process. */
const passing: ReadonlySet<string> = new Set(['JOURNAL_UNAVAILABLE', 'SUPERVISOR_LOST', 'LIMIT'])

/** The host's HTTP app: the API below `/api`, and the page. */
export function hostApp(parts: AppParts): HostHttp {
  const app: HostHttp = new Hono()
  addChecks(app, parts.gate)
  app.post('/api/login', (context) => logIn(context, parts.gate))
  app.post('/api/logout', (context) => {
    const cookie = parts.gate.logOut(requestOf(context))
    if (cookie !== '') context.header('set-cookie', cookie)
    return context.body(null, 204)
  })
  if (parts.fleet) addRelay(app, parts.logbook, parts.fleet)
  if (parts.fleet) addOperations(app, parts.fleet)
  if (parts.callsOut) addCalls(app, parts.callsOut, parts.fleet)
  addQueries(app, parts)
  addStreams(app, parts)
  addActions(app, parts)
  const { recordings } = parts
  if (recordings) addRecordings(app, { ...parts, recordings })
  if (parts.faults) addFaults(app, parts.faults, parts)
  app.all('/api/*', (context) => refuse(context, 404, 'NOT_FOUND', 'not found'))
  app.get('*', (context) => page(context, parts.files))
  app.onError((error, context) => {
    if (error instanceof OptionError) return refuse(context, 400, error.code, error.message)
    if (error instanceof EndwellError && passing.has(error.code)) {
      context.header('retry-after', '5')
      return refuse(context, 503, error.code, error.message)
    }
    return refuse(context, 500, 'FAILED', `internal error: ${describeError(error).name}`)
  })
  return app
}

// ── access ──

function addChecks(app: HostHttp, gate: Gate): void {
  app.use(async (context, next) => {
    const refusal = gate.refusesName(requestOf(context))
    // Errors create a new response, so the headers are set on the final one.
    if (refusal) context.res = refuseWith(context, refusal)
    else await next()
    const host = refusal ? 'localhost' : (context.req.header('host') ?? 'localhost')
    for (const [name, value] of Object.entries(securityHeaders(host))) context.res.headers.set(name, value)
  })
  app.use('/api/*', async (context, next) => {
    const request = requestOf(context)
    const isLogin = context.req.path === '/api/login' || context.req.path === '/api/logout'
    const refusal = isLogin ? gate.refusesOrigin(request) : gate.refuses(request)
    if (refusal) return refuseWith(context, refusal)
    context.header('cache-control', 'no-store')
    return await next()
  })
}

async function logIn(context: HostContext, gate: Gate): Promise<Response> {
  const body = await readJson(context.req, limits.body)
  if (body === 'too large') return refuseLarge(context)
  const secret = field(body.json, 'secret')
  if (typeof secret !== 'string') return refuse(context, 400, 'BAD_REQUEST', 'send { "secret": "…" }')
  const outcome = gate.logIn(requestOf(context), secret)
  if ('refused' in outcome) return refuseWith(context, outcome.refused)
  if (outcome.cookie !== '') context.header('set-cookie', outcome.cookie)
  return context.body(null, 204)
}

// ── calls of other processes ──

/** A live session of another process is watched and controlled there. */
function addRelay(app: HostHttp, logbook: Logbook, fleet: Fleet): void {
  app.use('/api/sessions/:id/:what', async (context, next) => {
    const { incoming, outgoing } = context.env
    const id = context.req.param('id')
    if (!incoming || !outgoing || isRelayed(incoming) || logbook.get(id)) return await next()
    const place = await fleet.directory.place(id)
    if (place.where === 'elsewhere') {
      relayRequest(incoming, outgoing, place.address)
      return RESPONSE_ALREADY_SENT
    }
    const order = orders.find((each) => each === context.req.param('what'))
    if (!order || context.req.method !== 'POST') return await next()
    if (place.where === 'ended') return refuse(context, 409, 'SESSION_CLOSED', `session '${id}' is closed`)
    // Its process may come back, or another one may take the call: both look for orders (HO30).
    if (place.where === 'unreachable' && (await fleet.operations.order({ call: id, order })))
      return context.json({ ordered: true }, 202)
    if (place.where !== 'lost' && place.where !== 'unreachable') return await next()
    return refuse(context, 409, 'HOST_LOST', `the process of session '${id}' is gone: its host ends the call`)
  })
}

const orders = ['close', 'drain', 'interrupt'] as const

// ── queries ──

function addQueries(app: HostHttp, { logbook, info, faults, fleet }: AppParts): void {
  app.get('/api/info', (context) => context.json<HostInfo>({ ...info, faults: faults?.list() ?? [] }))
  app.get('/api/sessions', async (context) =>
    context.json({
      sessions: await listSessions(logbook, fleet, listQueryIn(context)),
    }),
  )
  app.get('/api/sessions/:id', async (context) => {
    const id = context.req.param('id')
    const details = logbook.get(id)?.details() ?? (await fleet?.archive.details(id))
    return details ? context.json(details) : refuseUnknown(context)
  })
}

// ── event streams ──

function addStreams(app: HostHttp, { logbook, streams, faults, fleet, onLeave }: AppParts): void {
  app.get('/api/events', (context) =>
    stream(context, streams, 'sessions', (out) => {
      const send = (message: ListMessage): void => out.send(message)
      const sendAll = (): void => {
        listSessions(logbook, fleet, {}).then(
          (sessions) => send({ type: 'sessions', sessions }),
          () => send({ type: 'sessions', sessions: logbook.list() }),
        )
      }
      sendAll()
      if (faults) send({ type: 'faults', faults: faults.list() })
      const unwatchFaults = faults?.watch(() => send({ type: 'faults', faults: faults.list() }))
      const unwatchSessions = logbook.watch((session) => send({ type: 'session', session }))
      const unwatchOthers = fleet?.archive.watch(sendAll)
      const stay = onLeave(() => send({ type: 'moved' }))
      return () => {
        stay()
        unwatchOthers?.()
        unwatchFaults?.()
        unwatchSessions()
      }
    }),
  )
  app.get('/api/sessions/:id/events', async (context) => {
    const id = context.req.param('id')
    const session = logbook.get(id)
    const archived = session ? undefined : await fleet?.archive.details(id)
    const watch = session ? (watcher: LiveWatcher) => session.watch(watcher) : archived && replay(archived)
    if (!watch) return refuseUnknown(context)
    return stream(context, streams, `session ${id}`, (out) =>
      watch((message) => {
        out.send(message)
        if (message.type === 'closed') out.end()
      }),
    )
  })
}

type LiveWatcher = (message: LiveMessage) => void

/** A call that has ended, as its watchers would have seen it. Undefined while it is live in another process (HO37). */
function replay({
  summary,
  events,
  report,
}: SessionDetails): ((watcher: LiveWatcher) => () => void) | undefined {
  if (!report) return undefined
  return (watcher) => {
    const latencies = latenciesOf(report)
    watcher({ type: 'snapshot', now: 0, summary, events, latencies, spent: spentOf(report) })
    watcher({ type: 'closed', summary, report })
    return noop
  }
}

function stream(
  context: HostContext,
  streams: EventStreams,
  name: string,
  subscribe: Subscription,
): Response {
  const opened = streams.open(name, subscribe)
  if (!opened) return refuse(context, 503, 'TOO_MANY_STREAMS', 'too many open event streams')
  return context.body(opened.body, 200, {
    'content-type': 'text/event-stream; charset=utf-8',
    // Proxies must not buffer the stream.
    'x-accel-buffering': 'no',
  })
}

// ── actions ──

function addActions(app: HostHttp, { logbook, callToken }: AppParts): void {
  const addAction = (verb: string, work: (session: NonNullable<LoggedSession['session']>) => void): void => {
    app.post(`/api/sessions/:id/${verb}`, (context) =>
      withSession(context, logbook, (logged) => {
        const { session } = logged
        if (!session) return refuse(context, 409, 'SESSION_CLOSED', `session '${logged.id}' is closed`)
        try {
          work(session)
        } catch (error) {
          const code = error instanceof EndwellError ? error.code : 'FAILED'
          return refuse(context, 409, code, describeError(error).message)
        }
        return context.json({ summary: logged.summary }, 202)
      }),
    )
  }
  // Neither is awaited: how it went is in the report.
  addAction('close', (session) => {
    session.close({ by: 'studio' }).catch(noop)
  })
  addAction('drain', (session) => {
    session.drain({ by: 'studio' }).catch(noop)
  })
  addAction('interrupt', (session) => session.interrupt())
  app.post('/api/sessions/:id/approve', async (context) => {
    const body = await readJson(context.req, limits.body)
    if (body === 'too large') return refuseLarge(context)
    const call = field(body.json, 'call')
    const approved = field(body.json, 'approved')
    if (typeof call !== 'string' || typeof approved !== 'boolean')
      return refuse(context, 400, 'BAD_REQUEST', 'send { "call": "…", "approved": true }')
    return withSession(context, logbook, (logged) =>
      logged.approve(call, approved)
        ? context.json({ summary: logged.summary }, 202)
        : refuse(context, 409, 'NOT_FOUND', 'no tool call with this id waits for approval'),
    )
  })
  // A POST, because a page of another origin could make a browser send a GET.
  if (callToken) app.post('/api/call-token', (context) => context.json({ token: callToken() }))
}

function addFaults(app: HostHttp, faults: Faults, { info }: AppParts): void {
  if (info.mode === 'production') return
  app.put('/api/faults', async (context) => {
    const body = await readJson(context.req, limits.body)
    if (body === 'too large') return refuseLarge(context)
    const names = field(body.json, 'names')
    if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
      return refuse(context, 400, 'BAD_REQUEST', 'send { "names": ["…"] }')
    faults.set(names)
    return context.json({ faults: faults.list() })
  })
}

// ── the page ──

function page(context: HostContext, files: PageFiles | undefined): Response {
  const file = files?.get(context.req.path)
  if (!file) {
    const text = files ? 'Not found.' : 'This host has no page; see /api/info.'
    return context.text(`${text}\n`, 404)
  }
  context.header('etag', file.etag)
  context.header('vary', 'accept-encoding')
  context.header('cache-control', file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache')
  if (context.req.header('if-none-match') === file.etag) return context.body(null, 304)
  return sendFile(context, file)
}

function sendFile(context: HostContext, { type, plain, gzip }: PageFile): Response {
  context.header('content-type', type)
  if (!/\bgzip\b/.test(context.req.header('accept-encoding') ?? '')) return context.body(plain)
  context.header('content-encoding', 'gzip')
  return context.body(gzip)
}

// ── helpers ──

function withSession(
  context: HostContext,
  logbook: Logbook,
  then: (session: LoggedSession) => Response,
): Response {
  const id = context.req.param('id') ?? ''
  const session = logbook.get(id)
  return session ? then(session) : refuseUnknown(context)
}

function requestOf(context: HostContext): GateRequest {
  return { address: context.env?.incoming?.socket.remoteAddress, headers: context.req.header() }
}

function refuseWith(context: HostContext, { status, code, message }: Refused): Response {
  if (status === 401) context.header('www-authenticate', 'Bearer')
  return refuse(context, status, code, message)
}
