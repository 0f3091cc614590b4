export type { CallRefusal } from './base-calls.ts'
export { checkRtviOptions } from './rtvi/options.ts'
export { checkSecret, newKey, sign } from './secrets.ts'
export { isFromThisMachine, type Origin } from './this-machine.ts'
