import { TwilioCalls, type TwilioCallsOptions } from '../../lines/twilio/index.ts'
import type { Logger } from '../../parts/index.ts'
import { isRelayed, relayRead } from '../fleet/relay.ts'
import type { EntranceOptions } from './entrance-options.ts'

/** Takes phone calls for a host. `shared` are the options of all its lines, `traceOf` takes the trace of a call that comes back. */
export function phoneCallsOf(
  options: EntranceOptions,
  shared: Omit<TwilioCallsOptions, 'onCall' | 'logger'> & { readonly logger: Logger },
  traceOf: (call: string) => string | undefined,
): TwilioCalls {
  const { phone, fleet, answer } = options
  return new TwilioCalls({
    ...shared,
    ...phone,
    ...fleetPhone(options),
    // Not the link: whoever has it may be able to listen.
    onRecording: ({ call, id, url, duration }) => {
      shared.logger.info(
        { call, recording: id, duration, ready: url !== undefined },
        'the carrier has recorded a call',
      )
      fleet?.writes.recorded(call, {
        id,
        ...(url === undefined ? {} : { url }),
        ...(duration === undefined ? {} : { duration }),
      })
    },
    onCall: (line, { id, from, to, account, direction, parameters, details }) => {
      const trace = traceOf(id)
      const other = direction === 'inbound' ? from : to
      return answer(line, {
        id,
        line: 'phone',
        from: other ? `phone ${masked(other)}` : 'phone',
        info: {
          id,
          line: 'phone',
          direction,
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
          parameters,
        },
        comesBack: details['again'] !== undefined,
        resume: {
          ...(account === undefined ? {} : { account }),
          ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
        },
        ...(trace === undefined ? {} : { trace }),
      })
    },
  })
}

/** In a fleet, any process can answer a webhook, and any process can go on with a call. */
function fleetPhone({ fleet, ticketKey, neighbours }: EntranceOptions): Partial<TwilioCallsOptions> {
  if (!fleet) return {}
  return {
    beginsWith: 'stream',
    comesBack: async (call) => {
      const { where } = await fleet.directory.place(call)
      if (where === 'unreachable') return 'later'
      if (where === 'unknown') return 'unknown'
      return where === 'elsewhere' || where === 'lost' ? 'yes' : 'no'
    },
    passOn: async (call, request) => {
      if (isRelayed(request)) return undefined
      const place = await fleet.directory.place(call)
      return place.where === 'elsewhere' ? relayRead(request, place.address) : undefined
    },
    sharedDials: fleet.dials,
    ...(ticketKey === undefined ? {} : { ticketKey }),
    ...(neighbours ? { hasRoomElsewhere: () => neighbours.hasRoom() } : {}),
  }
}

/** The last two digits: enough to tell calls apart, without showing the caller's number in the page. */
function masked(number: string): string {
  return `…${number.slice(-2)}`
}
