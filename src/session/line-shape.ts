import type { LineEvents, Shape } from '../parts/index.ts'

/** The events of a line, with the names of their arguments. */
export const lineShape: Shape<LineEvents> = {
  frame: ['frame'],
  marked: ['ms', 'heard'],
  dtmf: ['digit'],
  text: ['text'],
  hungUp: [],
  lost: ['error'],
  handedOver: [],
}
