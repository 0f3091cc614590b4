import { isIP } from 'node:net'
import { findPackage, reportMissing } from '../providers/find-package.ts'
import { OptionError, checkOptions, type OptionNames } from '../scope/index.ts'
import { PackageMissingError } from './errors.ts'

/** A STUN or TURN server, as browsers know it. */
export interface IceServer {
  readonly urls: string | readonly string[]
  readonly username?: string
  readonly credential?: string
}

/** STUN and TURN servers, or a function that makes their list for each call: credentials for TURN should expire. */
export type IceServers = readonly IceServer[] | (() => readonly IceServer[] | Promise<readonly IceServer[]>)

/** How clients and this server reach each other. */
export interface WebRtcOptions {
  /**
   * Addresses at which clients reach this server by UDP. Behind a NAT, that is its public address. Default: the IPv4
   * addresses of this machine; without a secret, only `127.0.0.1`.
   */
  addresses?: readonly string[]
  /** UDP ports to use, from the first to the last. A call takes one per address. Default: any. */
  ports?: readonly [number, number]
  /** For clients: they get the list when they start a call. */
  iceServers?: IceServers
  /** For this server, if clients cannot reach it otherwise. Each call waits for what they say. Default: none. */
  ownIceServers?: IceServers
}

export const webRtcNames: OptionNames<WebRtcOptions> = {
  addresses: true,
  ports: true,
  iceServers: true,
  ownIceServers: true,
}

/** For options that a host passes on: throws if one cannot work, or if a package is missing (HO11). */
export function checkWebRtc(options: WebRtcOptions): void {
  checkOptions('webrtc', options, webRtcNames)
  checkNetwork(options)
  checkPackages()
}

/** The packages that WebRTC needs. */
const packages = ['werift', 'opusscript'] as const

/** Reports packages that are not installed. */
export function checkPackages(): void {
  for (const name of packages)
    if (findPackage(name) === undefined)
      reportMissing(name, () => new PackageMissingError('WebRTC', name, packages))
}

export function checkNetwork({ addresses = ['127.0.0.1'], ports = [1, 65_535] }: WebRtcOptions): void {
  const wrong = addresses.find((address) => isIP(address) === 0)
  if (addresses.length === 0 || wrong !== undefined)
    throw new OptionError(`addresses must be IP addresses, not '${wrong ?? ''}'`)
  const [from, to] = ports
  if (!(Number.isInteger(from) && Number.isInteger(to) && from > 0 && from < to && to <= 65_535))
    throw new OptionError('ports must be two ports, the smaller one first')
}
