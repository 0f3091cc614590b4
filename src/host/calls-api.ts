import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { DialOptions } from '../lines/twilio/index.ts'
import { EndwellError, noop } from '../scope/index.ts'
import { refuse, refuseLarge, type HostContext, type HostHttp, type Status } from './answers.ts'
import type { Fleet } from './fleet/fleet.ts'
import { isRelayed, relayRequest } from './fleet/relay.ts'
import { limits } from './limits.ts'
import { readJson } from './read-json.ts'
import type { CallsOut } from './reception/calls-out.ts'

/** Why nothing can be dialled, as a status of HTTP. */
const refusals: Readonly<Record<string, Status>> = {
  DIAL_IMPOSSIBLE: 409,
  DIAL_CLOSED: 503,
  DIAL_QUEUE_FULL: 503,
}

/** The part of the API that calls somebody (DI6). */
export function addCalls(app: HostHttp, calls: CallsOut, fleet: Fleet | undefined): void {
  app.post('/api/calls', async (context) => {
    const body = await readJson(context.req, limits.body)
    if (body === 'too large') return refuseLarge(context)
    try {
      const { attempt, isNew } = await calls.call(body.json as DialOptions)
      return context.json(attempt, isNew ? 202 : 200)
    } catch (error) {
      const status = error instanceof EndwellError ? refusals[error.code] : undefined
      if (!(error instanceof EndwellError) || status === undefined) throw error
      if (status === 503) context.header('retry-after', '5')
      return refuse(context, status, error.code, error.message)
    }
  })
  app.get('/api/calls/:key', async (context) => {
    const attempt = await calls.find(context.req.param('key'))
    return attempt ? context.json(attempt) : refuseUnknown(context)
  })
  app.post('/api/calls/:key/cancel', async (context) => {
    const key = context.req.param('key')
    const own = calls.active(key)
    own?.cancel().catch(noop)
    const { incoming, outgoing } = context.env
    if (!own && fleet && incoming && outgoing && !isRelayed(incoming)) {
      const place = await fleet.directory.placeOfDial({ key })
      if (place.where === 'elsewhere') {
        relayRequest(incoming, outgoing, place.address)
        return RESPONSE_ALREADY_SENT
      }
    }
    const attempt = await calls.find(key)
    return attempt ? context.json(attempt, 202) : refuseUnknown(context)
  })
}

function refuseUnknown(context: HostContext): Response {
  return refuse(context, 404, 'NO_SUCH_CALL', 'no call was made with this key')
}
