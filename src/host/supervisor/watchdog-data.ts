/** What the main thread gives its watchdog. */
export interface WatchdogData {
  /**
   * A counter of turns of the event loop, whether a debugger is attached, and the stack of the native call that is
   * under way.
   */
  readonly shared: SharedArrayBuffer
  readonly cut: boolean
  /** The URL of endwell's own folder, whose functions are never the culprit. */
  readonly own: string
  readonly closeTimeout: number
}

/** The global symbol under which `process` has a function that the watchdog calls in the main thread before it cuts. */
export const ABOUT_TO_CUT = 'endwell.about-to-cut'
