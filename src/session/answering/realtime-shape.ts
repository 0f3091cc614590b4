import type { RealtimeEvents, Shape } from '../../parts/index.ts'

/** What the arguments of a realtime model's events must be. */
export const realtimeShape: Shape<RealtimeEvents> = {
  userStarted: [],
  userStopped: [],
  userInterim: ['text'],
  userFinal: ['text'],
  responseStarted: ['id', 'flag'],
  audio: ['id', 'frame'],
  text: ['id', 'text'],
  toolCall: ['id', 'tool-call'],
  toolCancelled: ['id'],
  responseEnded: ['id', 'end', 'error'],
  usage: ['usage'],
  failed: ['error'],
}
