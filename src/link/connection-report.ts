import type { LinkEnd } from './link-end.ts'

/** How a connection to a provider or to the caller ended (CL13). */
export interface ConnectionReport {
  readonly name: string
  /**
   * - `acknowledged`: we asked, and the peer acknowledged the protocol's own end
   * - `closed`: closed at the request of either side
   * - `aborted`: we cut it, because it did not close in time
   * - `dropped`: it ended unasked
   */
  readonly how: 'acknowledged' | 'closed' | 'aborted' | 'dropped'
  readonly code?: number
  readonly reason?: string
  /** Reconnects after failures. Planned reconnects do not count. */
  readonly retries: number
}

export function reportConnection(
  name: string,
  how: ConnectionReport['how'],
  end: LinkEnd | undefined,
  retries: number,
): ConnectionReport {
  const reason = end?.reason ?? (end?.status === undefined ? undefined : `HTTP ${end.status}`)
  return {
    name,
    how,
    ...(end?.code === undefined ? {} : { code: end.code }),
    ...(reason === undefined ? {} : { reason }),
    retries,
  }
}
