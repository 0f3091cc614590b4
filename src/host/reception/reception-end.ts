/** How a reception and all its sessions ended. */
export interface ReceptionEnd {
  /** Whether the server and every session since the start closed cleanly. */
  readonly clean: boolean
  /** Milliseconds. */
  readonly took: number
  /** The number of sessions since the start. */
  readonly sessions: number
  /** The number of those that did not close cleanly. */
  readonly notClean: number
  /** The number of reports that could not be stored. */
  readonly notWritten: number
}
