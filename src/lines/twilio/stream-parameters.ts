import type { PhoneCallInfo } from './options.ts'
import type { CallWishes } from './phone-call-options.ts'

interface Facts extends Pick<PhoneCallInfo, 'from' | 'to' | 'direction' | 'parameters'>, CallWishes {}

/** What every webhook about a call says of it. */
export function factsIn(fields: URLSearchParams): Pick<PhoneCallInfo, 'from' | 'to' | 'direction'> {
  const direction = fields.get('Direction')?.startsWith('outbound') ? 'outbound' : 'inbound'
  return { from: fields.get('From') ?? undefined, to: fields.get('To') ?? undefined, direction }
}

/** Marks the parameters of the user, whose names could be those of ours. */
const OWN = 'own.'

/** Writes what is known about a call as parameters of its stream, for a process that sees only the stream. */
export function streamParameters({
  from,
  to,
  direction,
  parameters,
  records,
  keys,
}: Facts): Record<string, string> {
  const own = Object.entries(parameters).map(([name, value]) => [`${OWN}${name}`, value] as const)
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(direction === 'outbound' ? { direction } : {}),
    ...(records ? { records: 'yes' } : {}),
    ...(keys === undefined ? {} : { keys }),
    ...Object.fromEntries(own),
  }
}

/** Reads what `streamParameters` has written. */
export function readParameters(read: Readonly<Record<string, string>>): Facts {
  const own = Object.entries(read).filter(([name]) => name.startsWith(OWN))
  return {
    from: read['from'],
    to: read['to'],
    direction: read['direction'] === 'outbound' ? 'outbound' : 'inbound',
    records: read['records'] === 'yes',
    keys: read['keys'] === 'carrier' || read['keys'] === 'tones' ? read['keys'] : undefined,
    parameters: Object.fromEntries(own.map(([name, value]) => [name.slice(OWN.length), value])),
  }
}
