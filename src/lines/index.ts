export { checkSecret } from './secrets.ts'
export { isFromThisMachine, type Origin } from './this-machine.ts'
