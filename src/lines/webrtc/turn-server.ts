import { createHmac } from 'node:crypto'
import { systemClock } from '../../scope/index.ts'
import type { IceServer } from '../webrtc-options.ts'

export interface TurnServerOptions {
  /** Its addresses, like `turn:turn.example.com:3478?transport=udp`. */
  urls: string | readonly string[]
  /** The secret that it shares with this server: `static-auth-secret` of coturn. */
  secret: string
  /** For how long the credentials are good, in milliseconds. Default: 1 hour, which must be longer than a call takes to connect. */
  lifetime?: number
  /** Milliseconds since 1970. Default: now. */
  now?: number
}

/**
 * A TURN server with credentials that expire, which a page may have. Servers such as coturn compute the same from the shared secret.
 *
 * ```ts
 * iceServers: () => [turnServer({ urls: 'turn:turn.example.com:3478', secret: process.env.TURN_SECRET })]
 * ```
 */
export function turnServer({ urls, secret, lifetime = 3_600_000, now }: TurnServerOptions): IceServer {
  const expires = Math.floor(((now ?? systemClock.date()) + lifetime) / 1000)
  const username = `${expires}:endwell`
  const credential = createHmac('sha1', secret).update(username).digest('base64')
  return { urls, username, credential }
}
