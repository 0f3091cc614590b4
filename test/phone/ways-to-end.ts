import type { TwilioCall } from '../../src/testing/servers/index.ts'
import type { CloseReason } from '../../src/session/index.ts'
import { noop } from '../../src/scope/index.ts'
import type { PhoneRig } from './phone-rig.ts'

/** A way to end a call. */
export interface WayToEnd {
  readonly end: (rig: PhoneRig, call: TwilioCall) => void
  /** The reasons that the session may report, unless it was ending before. */
  readonly reasons: readonly CloseReason[]
}

const close =
  (options: object = {}) =>
  ({ sessions }: PhoneRig): void => {
    for (const session of sessions) session.close(options).catch(noop)
  }

/** All ways to end a call: by each side, and by both at once. */
export const waysToEnd: Readonly<Record<string, WayToEnd>> = {
  'the caller hangs up': {
    end: (_, call) => call.hangUp('politely'),
    reasons: ['caller-hung-up'],
  },
  'the caller leaves without stop': {
    end: (_, call) => call.hangUp('without-stop'),
    reasons: ['caller-hung-up', 'caller-lost'],
  },
  'the connection is cut': {
    end: (_, call) => call.hangUp('cut'),
    reasons: ['caller-hung-up', 'caller-lost'],
  },
  'the session is closed': { end: close(), reasons: ['requested'] },
  'the agent says goodbye': {
    end: ({ sessions }) => {
      for (const session of sessions)
        if (session.state === 'live') session.hangUp({ say: 'Goodbye.' }).catch(noop)
    },
    reasons: ['agent-hung-up'],
  },
  'both hang up': {
    end: (rig, call) => {
      call.hangUp('politely')
      close()(rig)
    },
    reasons: ['caller-hung-up', 'requested'],
  },
  'the host closes': {
    end: (rig) => {
      close({ reason: 'host-draining' })(rig)
      rig.closeHost().catch(noop)
    },
    reasons: ['host-draining'],
  },
}
