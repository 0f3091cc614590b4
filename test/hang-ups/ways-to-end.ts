import { noop } from '../../src/scope/index.ts'
import type { CloseReason } from '../../src/session/index.ts'
import type { HangUpCall } from './hang-up-call.ts'

/** A way to end a call. */
export interface WayToEnd {
  readonly end: (call: HangUpCall) => void | Promise<void>
  readonly reason: CloseReason
  /** Whether only a client that is ready can do so. */
  readonly needsReady?: boolean
  /** Whether the client is told why, if it is ready. */
  readonly isTold?: boolean
  /** Whether it is a failure of ours, which nothing can tell the client. */
  readonly isFailure?: boolean
  /** Whether `maxDuration` ends the call, and not `end`. */
  readonly byCap?: boolean
}

/** All ways to end a call: by the client, by its network, by the agent and by the server. */
export const waysToEnd: Readonly<Record<string, WayToEnd>> = {
  'the client disconnects': { end: ({ client }) => client.leaves(), reason: 'caller-hung-up' },
  'its tab is closed': { end: ({ client }) => client.closesTab(), reason: 'caller-hung-up' },
  'its connection breaks': { end: ({ client }) => client.isCut(), reason: 'caller-lost' },
  'its network goes silent': { end: ({ client }) => client.vanishes(), reason: 'caller-lost' },
  'the client has the agent leave': {
    end: ({ client }) => client.dismissesAgent(),
    reason: 'caller-hung-up',
    needsReady: true,
    isTold: true,
  },
  'a tool closes the session': {
    end: ({ client }) => client.types('close'),
    reason: 'requested',
    needsReady: true,
    isTold: true,
  },
  'the session is closed': {
    end: ({ session }) => void session.close().catch(noop),
    reason: 'requested',
    isTold: true,
  },
  'the server closes': {
    end: ({ session, stage }) => {
      const closed = session.close({ reason: 'host-draining' })
      closed.then(() => stage.scope.close()).catch(noop)
    },
    reason: 'host-draining',
    isTold: true,
  },
  'the cap is reached': { end: noop, reason: 'max-duration', isTold: true, byCap: true },
  'others are refused, and the client disconnects': {
    end: async ({ stage, client }) => {
      const accepted = await stage.refusals()
      if (accepted.length > 0) throw new Error(`not refused: ${accepted.join(', ')}`)
      client.leaves()
    },
    reason: 'caller-hung-up',
  },
}

/** Ways to end a call whose connection lives in a worker thread. */
export const waysOfThreads: Readonly<Record<string, WayToEnd>> = {
  'its thread dies': { end: ({ client }) => client.losesThread?.(), reason: 'caller-lost', isFailure: true },
}
