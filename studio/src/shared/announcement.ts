import { signal } from '@preact/signals'

/** Text for screen readers to read aloud. */
export const announcement = signal('')
