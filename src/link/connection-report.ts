/** How a connection to a provider or to the caller ended (CL13). */
export interface ConnectionReport {
  readonly name: string
  /**
   * - `acknowledged`: asked for, by the protocol's own end, and answered
   * - `closed`: asked for, by us or by the other side
   * - `aborted`: cut, because it did not end in time
   * - `dropped`: gone without being asked to
   */
  readonly how: 'acknowledged' | 'closed' | 'aborted' | 'dropped'
  readonly code?: number
  readonly reason?: string
  /** How often it was opened anew after a failure; what was planned does not count. */
  readonly retries: number
}
