import { OptionError } from '../scope/index.ts'
import { limits } from './limits.ts'
import type { LinkTiming, Protocol } from './protocol.ts'

/** What a machine is told of its protocol: plain data, everything set. */
export interface LinkSettings extends Required<Omit<LinkTiming, 'answer'>> {
  readonly order: 'new-first' | 'old-first'
  readonly maxAge: number | undefined
  /** The protocol has an end of its own. */
  readonly acknowledges: boolean
  readonly acknowledgeWithin: number
  /** How long a close frame may go unanswered, and whether this peer is known not to answer. */
  readonly closePatience: number
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
    closeFrame,
    order: rollover?.order ?? 'new-first',
    maxAge: rollover?.maxAge,
    acknowledges: ending?.frames !== undefined,
    acknowledgeWithin: ending?.within ?? 1_000,
    closePatience: closePatience ?? closeFrame,
    ignoresClose: closePatience !== undefined,
  }
  for (const [option, value] of Object.entries({ ...settings, answer: timing?.answer, ...queue })) {
    if (typeof value === 'number' && !(value >= 0 && Number.isFinite(value)))
      throw new OptionError(`link '${name}': ${option} must be a number from 0 up, not ${value}`)
  }
  if (settings.closePatience > limits.closeFrame)
    throw new OptionError(`link '${name}': a close frame is waited for ${limits.closeFrame} ms at most`)
  if (keepAlive && !(keepAlive.every > 0))
    throw new OptionError(`link '${name}': keepAlive.every must be more than 0, not ${keepAlive.every}`)
  return settings
}
