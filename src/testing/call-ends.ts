import type { Session } from '../session/index.ts'
import type { SimClock } from './sim-clock.ts'
import type { TestLine } from './test-line.ts'

/** A call with scripted models, in virtual time, that can be ended in every way. */
export interface EndableCall {
  readonly session: Session
  readonly line: TestLine
  readonly clock: SimClock
  /** Watches a promise of the session, which must settle. Never rejects. */
  track<T>(what: string, promise: Promise<T>): Promise<T | undefined>
  /** Makes the STT or the realtime model fail for good. */
  failModel(): void
}

/** A way to end a session. */
export interface CallEnd {
  readonly about: string
  /** Whether the session first ends gracefully, bounded by stallTimeout. */
  readonly graceful?: true
  /** Returns false if the session cannot be ended in this way now. */
  readonly end: (call: EndableCall) => boolean
}

const isOpen = ({ session }: EndableCall): boolean => session.state === 'live' || session.state === 'ending'

/** Every way to end a session, by name. */
export const callEnds: Readonly<Record<string, CallEnd>> = {
  close: {
    about: 'session.close()',
    end: (call) => {
      call.track('close()', call.session.close()).catch(() => {})
      return true
    },
  },
  hurry: {
    about: 'close({ closeTimeout: 200 })',
    end: (call) => {
      call.track('close()', call.session.close({ closeTimeout: 200 })).catch(() => {})
      return true
    },
  },
  twice: {
    about: 'close(), again a second later, and again in a closed listener',
    end: (call) => {
      const { session, clock } = call
      call.track('close()', session.close()).catch(() => {})
      session.on('closed', () => call.track('close() in a listener', session.close()))
      clock.happen(1_000, 'second close', () => {
        call.track('second close()', session.close({ reason: 'host-draining' })).catch(() => {})
      })
      return true
    },
  },
  'hangs-up': {
    about: 'the caller hangs up',
    end: (call) => {
      if (!isOpen(call)) return false
      call.line.caller.hangsUp()
      return true
    },
  },
  vanishes: {
    about: 'the line is lost',
    end: (call) => {
      if (!isOpen(call)) return false
      call.line.caller.vanishes(new Error('no carrier'))
      return true
    },
  },
  goodbye: {
    about: 'session.hangUp({ say })',
    graceful: true,
    end: (call) => {
      if (call.session.state !== 'live') return false
      call.track('hangUp()', call.session.hangUp({ say: 'Thank you, and goodbye.' })).catch(() => {})
      return true
    },
  },
  drain: {
    about: 'session.drain()',
    graceful: true,
    end: (call) => {
      if (call.session.state !== 'live') return false
      call.track('drain()', call.session.drain()).catch(() => {})
      return true
    },
  },
  'model-fails': {
    about: 'the STT or the realtime model fails for good',
    end: (call) => {
      if (!isOpen(call)) return false
      call.failModel()
      return true
    },
  },
}
