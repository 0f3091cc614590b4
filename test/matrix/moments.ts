import type { Cast, CastOptions } from './cast.ts'

/** A moment of a conversation: who is in it, how one gets there, and by which step one knows that one is there. */
export interface Moment {
  readonly about: string
  readonly cast?: CastOptions
  /** Brings the session to the moment. Bounded: a faulted step on the way must not keep it for ever. */
  readonly arrive: (cast: Cast) => Promise<unknown>
}

/** Starts, and waits until the session is live, or a second has passed because a fault keeps it from that. */
async function started(cast: Cast): Promise<void> {
  const { clock } = cast.world
  const start = cast.start()
  await Promise.any([start, clock.elapse(1_000)])
}

async function after(cast: Cast, ms: number): Promise<void> {
  await cast.world.clock.elapse(ms)
}

/** The greeting is over; nothing happens. */
async function listening(cast: Cast): Promise<void> {
  await started(cast)
  await after(cast, 4_000)
}

async function typed(cast: Cast, text: string, ms: number): Promise<void> {
  await listening(cast)
  if (cast.session.state === 'live') cast.line.caller.types(text)
  await after(cast, ms)
}

/** Speaks without waiting for the end of it. */
function speaks(cast: Cast, words: string): void {
  if (cast.session.state === 'live') cast.line.caller.says(words).catch(() => {})
}

function pauses(cast: Cast): void {
  if (cast.session.state === 'live') cast.line.caller.pauses(1_000).catch(() => {})
}

export const moments: Readonly<Record<string, Moment>> = {
  new: { about: 'before start()', arrive: async () => {} },
  starting: {
    about: 'the parts are being opened',
    cast: { line: { openTakes: 100 }, stt: { openTakes: 200 }, tts: { openTakes: 300 } },
    arrive: async (cast) => {
      cast.start().catch(() => {})
      await after(cast, 150)
    },
  },
  greeting: {
    about: 'the agent greets',
    arrive: async (cast) => {
      await started(cast)
      await after(cast, 500)
    },
  },
  listening: { about: 'nobody speaks', arrive: listening },
  'user-speaking': {
    about: 'the user is in the middle of a sentence',
    arrive: async (cast) => {
      await listening(cast)
      speaks(cast, 'I would like to make an appointment')
      await after(cast, 900)
    },
  },
  transcribing: {
    about: 'the user has stopped, the final text has not come',
    cast: { stt: { finalAfter: 900 } },
    arrive: async (cast) => {
      await listening(cast)
      speaks(cast, 'A word')
      await after(cast, 300)
      pauses(cast)
      await after(cast, 400)
    },
  },
  thinking: {
    about: 'the model has not said a word yet',
    cast: { llm: { firstAfter: 600 } },
    arrive: (cast) => typed(cast, 'hello', 300),
  },
  speaking: { about: 'the agent answers', arrive: (cast) => typed(cast, 'hello', 900) },
  tool: { about: 'a tool runs', arrive: (cast) => typed(cast, 'use lookup', 900) },
  approval: { about: 'a tool waits to be approved', arrive: (cast) => typed(cast, 'use book', 900) },
  handoff: {
    about: 'an agent hands over: its last words are being spoken',
    arrive: (cast) => typed(cast, 'use transfer', 200),
  },
  nested: { about: 'a nested agent asks the caller', arrive: (cast) => typed(cast, 'use ask', 300) },
  preemptive: {
    about: 'an answer is prepared before the turn is sure',
    cast: { preemptive: true, llm: { firstAfter: 300 } },
    arrive: async (cast) => {
      await listening(cast)
      speaks(cast, 'A word')
      await after(cast, 300)
      pauses(cast)
      await after(cast, 350)
    },
  },
  ending: {
    about: 'a drain waits for the answer in flight',
    arrive: async (cast) => {
      await typed(cast, 'hello', 900)
      if (cast.session.state === 'live') cast.give('drain()', cast.session.drain()).catch(() => {})
      await after(cast, 100)
    },
  },
}
