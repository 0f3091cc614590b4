import type { LineEvents, Shape } from '../parts/index.ts'

/** What the events of a line must be given. */
export const lineShape: Shape<LineEvents> = {
  frame: ['frame'],
  marked: ['ms', 'heard'],
  dtmf: ['digit'],
  text: ['text'],
  hungUp: [],
  lost: ['error'],
  handedOver: [],
}
