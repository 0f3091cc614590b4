import type { RTVIEventCallbacks } from '@pipecat-ai/client-js'
import { problem, show, status } from './elements.ts'

let turns = 0

// #region callbacks
export const callbacks: RTVIEventCallbacks = {
  onTransportStateChanged: (state) => (status.textContent = state),
  onUserTranscript: ({ text, final }) => final && show(`user ${++turns}`, text),
  // A sentence of the agent. `accumulated_text` is what the caller has heard of it.
  onBotOutput: ({ segment_id, spoken_progress }) =>
    show(`agent ${segment_id}`, spoken_progress?.accumulated_text ?? ''),
  // Also says why a call was refused, and that it has ended.
  onError: ({ data }) => {
    const { error, message } = data as { error?: string; message?: string }
    problem.textContent ||= error ?? message ?? ''
  },
}
// #endregion
