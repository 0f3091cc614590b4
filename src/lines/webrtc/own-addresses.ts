import { networkInterfaces } from 'node:os'

/** The IPv4 addresses at which clients may reach this machine. `onlyLocal`: clients are on this machine, too. */
export function ownAddresses(onlyLocal: boolean): readonly string[] {
  const outer = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(
      ({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'),
    )
    .map(({ address }) => address)
  return onlyLocal || outer.length === 0 ? ['127.0.0.1'] : outer
}
