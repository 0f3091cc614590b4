/** A room around the microphone of a page. */
export interface Room {
  /** How the page's own sound comes back into the microphone: after so many milliseconds, so many decibels softer. */
  readonly echo?: { readonly delay: number; readonly gain: number }
  /** How loud the room is by itself, in decibels of full scale. Without it there is no sound in it at all. */
  readonly noise?: number
}
