import { noop } from '../../scope/index.ts'
import { sendKeys } from './twilio-keys.ts'
import type { CallLeg } from './twilio-leg.ts'
import { telnyxProblem, type RestAnswer } from './twilio-rest-answer.ts'
import { endByRest } from './twilio-rest-calls.ts'
import type { RestFields } from './twilio-rest-fields.ts'
import type { RecordingExchange } from './twilio-rest-recordings.ts'
import { path, type Route } from './twilio-rest-route.ts'

export interface CallControlExchange extends RecordingExchange {
  find(sid: string): CallLeg | undefined
}

/** How long a `command_id` is remembered, in milliseconds. */
const REMEMBERED = 60_000

const OK: RestAnswer = { status: 200, json: { data: { result: 'ok' } } }

/** The actions of Telnyx's Call Control on a leg. */
export function callControlRoutes(exchange: CallControlExchange): Route[] {
  const commands = new Map<string, number>()
  return [
    {
      method: 'POST',
      path: path('v2/calls/([^/]+)/actions/([a-z_]+)'),
      answer: ([sid = '', action = ''], fields) => {
        const leg = exchange.find(sid)
        if (!leg) return telnyxProblem(404, '10005', 'Resource not found')
        if (leg.over) return telnyxProblem(422, '90018', 'Call has already ended')
        return isRepeated(commands, leg, fields.get('command_id')) ? OK : act(exchange, leg, action, fields)
      },
    },
  ]
}

function isRepeated(commands: Map<string, number>, leg: CallLeg, command: string | undefined): boolean {
  if (command === undefined) return false
  const now = leg.context.clock.now()
  const before = commands.get(command)
  if (before !== undefined && now - before < REMEMBERED) return true
  commands.set(command, now)
  return false
}

function act(
  exchange: RecordingExchange,
  leg: CallLeg,
  action: string,
  fields: RestFields,
): RestAnswer | undefined {
  const recording = exchange.recordings(leg).at(-1)
  switch (action) {
    case 'hangup':
      leg.aboutToEnd()
      endByRest(leg)
      return OK
    case 'send_dtmf': {
      const digits = fields.get('digits') ?? ''
      if (!/^[0-9A-D*#wW]+$/.test(digits)) return telnyxProblem(422, '10015', 'digits is not valid')
      sendKeys(leg, digits, noop)
      return OK
    }
    case 'record_start':
      exchange.record(leg, {
        channels: fields.get('channels') === 'dual' ? 2 : 1,
        track: 'both',
        source: 'StartCallRecordingAPI',
        callback: undefined,
        events: [],
      })
      return OK
    case 'record_stop':
      recording?.change('stopped')
      return OK
    case 'record_pause':
      recording?.change('paused')
      return OK
    case 'record_resume':
      recording?.change('in-progress')
      return OK
    case 'playback_start':
    case 'playback_stop':
    case 'client_state_update':
      leg.emit({ type: 'verb', name: action })
      return OK
    default:
      return undefined
  }
}
