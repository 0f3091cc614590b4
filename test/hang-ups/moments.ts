import type { HangUpCall } from './hang-up-call.ts'

/** A moment of a call. */
export interface Moment {
  /** Whether the client has said that it is ready. */
  readonly ready: boolean
  /** Whether the agent is already hanging up. */
  readonly isEnding?: boolean
  /** Brings the call to the moment, unless the call ends first. */
  readonly reach: (call: HangUpCall) => Promise<void>
}

async function greeted(call: HangUpCall): Promise<void> {
  await call.emits('spoken')
  call.forget()
}

async function typed(call: HangUpCall, text: string, event: string): Promise<void> {
  await greeted(call)
  call.client.types(text)
  await call.emits(event)
}

export const moments: Readonly<Record<string, Moment>> = {
  'before the client is ready': { ready: false, reach: (call) => call.emits('live') },
  'during the greeting': {
    ready: true,
    reach: async (call) => {
      await call.emits('speaking')
      await call.hears()
    },
  },
  'while neither side speaks': { ready: true, reach: greeted },
  'during an answer': { ready: true, reach: (call) => typed(call, 'hello', 'speaking') },
  'while a tool runs': { ready: true, reach: (call) => typed(call, 'look it up', 'tool') },
  'during the goodbye': {
    ready: true,
    isEnding: true,
    reach: async (call) => {
      await typed(call, 'bye', 'ending')
      await call.emits('speaking')
    },
  },
}
