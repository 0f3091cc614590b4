import type { TranscriptEntry, TranscriptMessage } from '../protocol.ts'

/** What was said in a call. Immutable: each change makes a new one. */
export interface Transcript {
  readonly entries: readonly TranscriptEntry[]
  /** What the caller is saying now. It may still change. Empty if the caller is silent. */
  readonly interim: string
}

export const emptyTranscript: Transcript = { entries: [], interim: '' }

/** The transcript after a message of the line. */
export function nextTranscript(
  { entries: known }: Transcript,
  { from, entries, interim }: TranscriptMessage,
): Transcript {
  return { entries: [...known.slice(0, from), ...entries], interim }
}
