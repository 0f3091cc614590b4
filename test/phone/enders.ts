import type { TwilioCall } from '../../src/testing/servers/index.ts'
import type { CloseReason } from '../../src/session/index.ts'
import { noop } from '../../src/scope/index.ts'
import type { Stage } from './stage.ts'

/** Somebody who ends a call, in one way. */
export interface Ender {
  readonly pull: (stage: Stage, call: TwilioCall) => void
  /** What the session may give as its reason, if it was not ending before. */
  readonly reasons: readonly CloseReason[]
}

const close =
  (ask: object = {}) =>
  ({ sessions }: Stage): void => {
    for (const session of sessions) session.close(ask).catch(noop)
  }

/** Each side in each of its ways, and both at once. */
export const enders: Readonly<Record<string, Ender>> = {
  'the caller hangs up': {
    pull: (_, call) => call.hangUp('politely'),
    reasons: ['caller-hung-up'],
  },
  'the caller leaves without stop': {
    pull: (_, call) => call.hangUp('without-stop'),
    reasons: ['caller-hung-up', 'caller-lost'],
  },
  'the connection is cut': {
    pull: (_, call) => call.hangUp('cut'),
    reasons: ['caller-hung-up', 'caller-lost'],
  },
  'the session is closed': { pull: close(), reasons: ['requested'] },
  'the agent says goodbye': {
    pull: ({ sessions }) => {
      for (const session of sessions)
        if (session.state === 'live') session.hangUp({ say: 'Goodbye.' }).catch(noop)
    },
    reasons: ['agent-hung-up'],
  },
  'both hang up': {
    pull: (stage, call) => {
      call.hangUp('politely')
      close()(stage)
    },
    reasons: ['caller-hung-up', 'requested'],
  },
  'the host ends': {
    pull: (stage) => {
      close({ reason: 'host-draining' })(stage)
      stage.closeHost().catch(noop)
    },
    reasons: ['host-draining'],
  },
}
