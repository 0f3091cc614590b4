import type { Cast } from './cast.ts'

/** A way in which a session is ended. Returns false where it cannot be used. */
export interface Trigger {
  readonly about: string
  /** Whether the session closes at once; else it first ends gracefully, bounded on stall. */
  readonly graceful?: true
  readonly pull: (cast: Cast) => boolean
}

const isOpen = ({ session }: Cast): boolean => session.state === 'live' || session.state === 'ending'

export const triggers: Readonly<Record<string, Trigger>> = {
  close: {
    about: 'session.close()',
    pull: (cast) => {
      cast.give('close()', cast.session.close()).catch(() => {})
      return true
    },
  },
  hurry: {
    about: 'close({ closeTimeout: 200 })',
    pull: (cast) => {
      cast.give('close()', cast.session.close({ closeTimeout: 200 })).catch(() => {})
      return true
    },
  },
  twice: {
    about: 'close(), and again a second later, and from a closed listener',
    pull: (cast) => {
      const { session, world } = cast
      cast.give('close()', session.close()).catch(() => {})
      session.on('closed', () => cast.give('close() in a listener', session.close()))
      world.clock.happen(1_000, 'second close', () => {
        cast.give('second close()', session.close({ reason: 'host-draining' })).catch(() => {})
      })
      return true
    },
  },
  'hangs-up': {
    about: 'the caller hangs up',
    pull: (cast) => {
      if (!isOpen(cast)) return false
      cast.line.caller.hangsUp()
      return true
    },
  },
  vanishes: {
    about: 'the line is lost',
    pull: (cast) => {
      if (!isOpen(cast)) return false
      cast.line.caller.vanishes(new Error('no carrier'))
      return true
    },
  },
  goodbye: {
    about: 'session.hangUp({ say })',
    graceful: true,
    pull: (cast) => {
      if (cast.session.state !== 'live') return false
      cast.give('hangUp()', cast.session.hangUp({ say: 'Thank you, and goodbye.' })).catch(() => {})
      return true
    },
  },
  drain: {
    about: 'session.drain()',
    graceful: true,
    pull: (cast) => {
      if (cast.session.state !== 'live') return false
      cast.give('drain()', cast.session.drain()).catch(() => {})
      return true
    },
  },
  'model-fails': {
    about: 'the STT, or the realtime model, is gone for good',
    pull: (cast) => {
      if (!isOpen(cast)) return false
      cast.stt.fail()
      cast.realtime.drop()
      return true
    },
  },
}
