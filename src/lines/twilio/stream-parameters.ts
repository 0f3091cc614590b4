import type { PhoneCallInfo } from './options.ts'

interface Facts extends Pick<PhoneCallInfo, 'from' | 'to' | 'direction' | 'parameters'> {
  /** Whether the carrier records the call. */
  readonly records: boolean
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
}: Facts): Record<string, string> {
  const own = Object.entries(parameters).map(([name, value]) => [`${OWN}${name}`, value] as const)
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(direction === 'outbound' ? { direction } : {}),
    ...(records ? { records: 'yes' } : {}),
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
    parameters: Object.fromEntries(own.map(([name, value]) => [name.slice(OWN.length), value])),
  }
}
