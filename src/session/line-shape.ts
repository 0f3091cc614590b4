import type { LineEvents, Shape } from '../parts/index.ts'

/** The events of a line, with the names of their arguments. */
export const lineShape: Shape<Required<LineEvents>> = {
  frame: ['frame'],
  marked: ['ms', 'heard', 'flag'],
  dtmf: ['digit'],
  text: ['text'],
  away: [],
  back: [],
  hungUp: [],
  lost: ['error'],
  handedOver: [],
}
