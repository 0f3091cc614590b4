export { isFromThisMachine, type Origin } from './this-machine.ts'
