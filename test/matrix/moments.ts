import type { FullCall, FullCallOptions } from './full-call.ts'

/** A moment in a conversation, and how to get there. */
export interface Moment {
  readonly about: string
  readonly call?: FullCallOptions
  /** Brings the session to the moment, in bounded time even if a step on the way has a fault. */
  readonly reach: (call: FullCall) => Promise<unknown>
}

/** Starts the session and waits until it is live, for at most a second in case a fault prevents that. */
async function started(call: FullCall): Promise<void> {
  const { clock } = call.world
  const start = call.start()
  await Promise.any([start, clock.elapse(1_000)])
}

async function after(call: FullCall, ms: number): Promise<void> {
  await call.world.clock.elapse(ms)
}

/** The greeting has ended, and nothing happens. */
async function listening(call: FullCall): Promise<void> {
  await started(call)
  await after(call, 4_000)
}

async function typed(call: FullCall, text: string, ms: number): Promise<void> {
  await listening(call)
  if (call.session.state === 'live') call.line.caller.types(text)
  await after(call, ms)
}

/** Lets the caller speak, without waiting for the end. */
function speaks(call: FullCall, words: string): void {
  if (call.session.state === 'live') call.line.caller.says(words).catch(() => {})
}

function pauses(call: FullCall): void {
  if (call.session.state === 'live') call.line.caller.pauses(1_000).catch(() => {})
}

export const moments: Readonly<Record<string, Moment>> = {
  new: { about: 'before start()', reach: async () => {} },
  starting: {
    about: 'the parts are being opened',
    call: { line: { openTakes: 100 }, stt: { openTakes: 200 }, tts: { openTakes: 300 } },
    reach: async (call) => {
      call.start().catch(() => {})
      await after(call, 150)
    },
  },
  greeting: {
    about: 'the agent greets',
    reach: async (call) => {
      await started(call)
      await after(call, 500)
    },
  },
  listening: { about: 'neither side speaks', reach: listening },
  'user-speaking': {
    about: 'the user is in the middle of a sentence',
    reach: async (call) => {
      await listening(call)
      speaks(call, 'I would like to make an appointment')
      await after(call, 900)
    },
  },
  transcribing: {
    about: 'the user has stopped, and the final text has not arrived',
    call: { stt: { finalAfter: 900 } },
    reach: async (call) => {
      await listening(call)
      speaks(call, 'A word')
      await after(call, 300)
      pauses(call)
      await after(call, 400)
    },
  },
  thinking: {
    about: 'the model has not answered yet',
    call: { llm: { firstAfter: 600 } },
    reach: (call) => typed(call, 'hello', 300),
  },
  speaking: { about: 'the agent answers', reach: (call) => typed(call, 'hello', 900) },
  tool: { about: 'a tool runs', reach: (call) => typed(call, 'use lookup', 900) },
  approval: { about: 'a tool waits for approval', reach: (call) => typed(call, 'use book', 900) },
  handoff: {
    about: 'an agent hands over, and its last words are being spoken',
    reach: (call) => typed(call, 'use transfer', 200),
  },
  nested: { about: 'a nested agent asks the caller', reach: (call) => typed(call, 'use ask', 300) },
  preemptive: {
    about: 'a reply was begun before the turn has certainly ended',
    call: { preemptive: true, llm: { firstAfter: 300 } },
    reach: async (call) => {
      await listening(call)
      speaks(call, 'A word')
      await after(call, 300)
      pauses(call)
      await after(call, 350)
    },
  },
  ending: {
    about: 'a drain waits for the answer in flight',
    reach: async (call) => {
      await typed(call, 'hello', 900)
      if (call.session.state === 'live') call.track('drain()', call.session.drain()).catch(() => {})
      await after(call, 100)
    },
  },
}
