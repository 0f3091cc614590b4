import type { Clock, Random } from '../../scope/index.ts'
import type { CallbackManners } from './twilio-callbacks.ts'
import type { CarrierDialect } from './twilio-frames.ts'
import type { CarrierPost } from './twilio-post.ts'
import type { Sign } from './twilio-signature.ts'
import type { CarrierDial } from './twilio-wire.ts'

/** What a call gets from its carrier. */
export interface CallContext {
  readonly clock: Clock
  readonly random: Random
  /** How callbacks are treated now. */
  readonly manners: () => CallbackManners
  readonly dial: CarrierDial
  readonly post: CarrierPost
  readonly dialect: CarrierDialect
  readonly speed: number
  readonly account: string
  readonly sign: Sign
  /** Converts a public URL of the application to the one that is really used. */
  readonly toLocal: (url: string) => string
  /** Converts a URL that is really used to the application's public one. */
  readonly toPublic: (url: string) => string
  readonly newId: (prefix: string) => string
  readonly changed: () => void
}
