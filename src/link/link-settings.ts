import { OptionError } from '../scope/index.ts'
import { limits } from './limits.ts'
import type { LinkTiming, Protocol } from './protocol.ts'

/** A protocol's options as plain data, with defaults filled in. */
export interface LinkSettings extends Required<LinkTiming> {
  readonly order: 'new-first' | 'old-first'
  readonly maxAge: number | undefined
  /** Whether the protocol has ending frames. */
  readonly acknowledges: boolean
  readonly acknowledgeWithin: number
  /** The time limit for the answer to a close frame. */
  readonly closePatience: number
  /** Whether the peer is known not to answer close frames. */
  readonly ignoresClose: boolean
}

export function settle(protocol: Protocol): LinkSettings {
  const { name, timing, rollover, ending, closePatience, keepAlive, queue } = protocol
  const closeFrame = timing?.closeFrame ?? 1_500
  const settings: LinkSettings = {
    handshake: timing?.handshake ?? 5_000,
    open: timing?.open ?? 8_000,
    retries: timing?.retries ?? 5,
    lifetimeRetries: timing?.lifetimeRetries ?? 100,
    healthyAfter: timing?.healthyAfter ?? 10_000,
    backoff: timing?.backoff ?? 250,
    longestBackoff: timing?.longestBackoff ?? 5_000,
    answer: timing?.answer ?? 8_000,
    pong: timing?.pong ?? 5_000,
    closeFrame,
    order: rollover?.order ?? 'new-first',
    maxAge: rollover?.maxAge,
    acknowledges: ending?.frames !== undefined,
    acknowledgeWithin: ending?.within ?? 1_000,
    closePatience: closePatience ?? closeFrame,
    ignoresClose: closePatience !== undefined,
  }
  for (const [option, value] of Object.entries({ ...settings, ...queue })) {
    if (typeof value === 'number' && !(value >= 0 && Number.isFinite(value)))
      throw new OptionError(`link '${name}': ${option} must be a finite number of at least 0, not ${value}`)
  }
  if (settings.closePatience > limits.closeFrame) {
    const option = settings.ignoresClose ? 'closePatience' : 'timing.closeFrame'
    throw new OptionError(`link '${name}': ${option} must be at most ${limits.closeFrame} ms`)
  }
  if (keepAlive && !(keepAlive.every > 0))
    throw new OptionError(`link '${name}': keepAlive.every must be more than 0, not ${keepAlive.every}`)
  return settings
}
