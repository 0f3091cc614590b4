import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import type { CallOptions, CallState } from '../lines/websocket/client/index.ts'
import { CallStore, serverSnapshot, type CallSnapshot } from './call-store.ts'

/** The current call of a component, or its last one, and what can be done with it. The functions stay the same. */
export interface CallHandle extends CallSnapshot {
  /**
   * Asks for the microphone and calls, unless there is a call already. Call it from a click handler. Resolves to `live` or
   * `ended`, and never rejects: `error` and `end` have what went wrong.
   */
  readonly connect: () => Promise<CallState>
  /** Ends the call for good. */
  readonly hangUp: () => void
  /** Mutes the microphone, in this call and the next ones. */
  readonly mute: () => void
  readonly unmute: () => void
  /** Types instead of speaking. */
  readonly sendText: (text: string) => void
  /** Sends telephone keys, one after the other: 0–9, *, #, A–D. */
  readonly press: (digits: string) => void
}

/**
 * Makes calls from a component, one at a time. A call ends when the component unmounts, and when the page is left.
 *
 * ```tsx
 * const call = useCall({ url: '/call' })
 * return <CallButton call={call} />
 * ```
 */
export function useCall(options: CallOptions): CallHandle {
  const [store] = useState(() => new CallStore(options))
  const snapshot = useSyncExternalStore(store.subscribe, store.snapshot, serverSnapshot)
  useEffect(store.mount, [store])
  useEffect(() => {
    store.options = options
  })
  const { connect, hangUp, mute, unmute, sendText, press } = store
  return useMemo(
    () => ({ ...snapshot, connect, hangUp, mute, unmute, sendText, press }),
    [snapshot, connect, hangUp, mute, unmute, sendText, press],
  )
}
