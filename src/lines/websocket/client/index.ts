export type { Ticket } from '../protocol.ts'
export type { CallErrorCode, CallEvents, CallState } from './call-events.ts'
export { Call, type CallOptions } from './dom/call.ts'
export type { CallEnd } from './wire.ts'
