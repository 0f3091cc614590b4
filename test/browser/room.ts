/** The acoustics around the microphone of a page. */
export interface Room {
  /** The echo of the page's own sound: its delay in milliseconds, and its gain in decibels. */
  readonly echo?: { readonly delay: number; readonly gain: number }
  /** Whether the page's sound has a clock and a rate of its own, and not those of the microphone. Default: false. */
  readonly ownClock?: boolean
  /** The level of background noise, in decibels of full scale. Default: silence. */
  readonly noise?: number
}
