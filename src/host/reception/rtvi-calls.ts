import { RtviCalls, type RtviCallsOptions } from '../../lines/rtvi-websocket/index.ts'
import type { CallInfo } from '../agent-file.ts'
import { traceparentOf } from '../watch/traceparent.ts'
import type { EntranceOptions } from './entrance-options.ts'

/** Maximum number of parameters of a call. */
const MAX_PARAMETERS = 50

/** Takes calls of RTVI clients for a host. `shared` are the options of all its lines. */
export function rtviCallsOf(
  { secret, phone, ticketKey, neighbours, rtvi, answer }: EntranceOptions,
  shared: Omit<RtviCallsOptions, 'onCall'>,
): RtviCalls {
  return new RtviCalls({
    ...shared,
    ...rtvi,
    // Without a secret, only this machine may call: not by the public address, which a proxy serves.
    ...(secret === undefined ? {} : { secret, publicUrl: phone?.publicUrl }),
    ...(ticketKey === undefined ? {} : { tokenKey: ticketKey }),
    ...(neighbours ? { hasRoomElsewhere: () => neighbours.hasRoom() } : {}),
    // A client cannot come back, so there is nothing for another process to resume.
    onCall: (line, { id, data, headers }) => {
      const trace = traceparentOf(headers)
      return answer(line, {
        id,
        line: 'rtvi',
        from: 'RTVI client',
        info: { id, line: 'rtvi', direction: 'inbound', parameters: parametersOf(data) },
        ...(trace === undefined ? {} : { trace }),
      })
    },
  })
}

/** The strings, numbers and booleans of the client's `requestData`, and of its `body`, where Pipecat's own server looks for them. */
function parametersOf(data: unknown): CallInfo['parameters'] {
  const { body } = (data ?? {}) as { body?: unknown }
  const plain = [...entriesOf(data), ...entriesOf(body)].filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  )
  return Object.fromEntries(plain.slice(0, MAX_PARAMETERS).map(([name, value]) => [name, String(value)]))
}

function entriesOf(value: unknown): [name: string, value: unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}
