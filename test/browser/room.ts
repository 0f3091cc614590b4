/** The acoustics around the microphone of a page. */
export interface Room {
  /** The echo of the page's own sound: its delay in milliseconds, and its gain in decibels. */
  readonly echo?: { readonly delay: number; readonly gain: number }
  /** The level of background noise, in decibels of full scale. Default: silence. */
  readonly noise?: number
}
