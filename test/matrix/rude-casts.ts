import type { Cast, CastOptions } from './cast.ts'

/** Parts that misbehave in ways no fault of a step can express: their own streams, marks and listeners. */
export interface RudeCast {
  readonly about: string
  readonly cast?: CastOptions
  readonly spoil?: (cast: Cast) => void
}

export const rudeCasts: Readonly<Record<string, RudeCast>> = {
  'llm ignores its signal': {
    about: 'it goes on generating',
    cast: { llm: { ignoresSignal: true, every: 200 } },
  },
  'llm stalls': {
    about: 'it never says a word',
    cast: { llm: { answers: () => [{ stall: true }], ignoresSignal: true } },
  },
  'llm fails': {
    about: 'every answer fails',
    cast: { llm: { answers: () => [{ fail: new Error('overloaded') }] } },
  },
  'tts ignores its signal': {
    about: 'it goes on speaking',
    cast: { tts: { ignoresSignal: true, speed: 1 } },
  },
  'tts never yields': { about: 'no frame ever comes', cast: { tts: { stallAfter: 0, ignoresSignal: true } } },
  'tts fails midway': {
    about: 'it fails after 300 ms',
    cast: { tts: { failAfter: 300, error: new Error('voice gone') } },
  },
  'realtime model ignores interruptions': {
    about: 'its sound goes on coming',
    cast: { realtime: { speed: 1, interruptTakes: 20_000 } },
  },
  'realtime model yields': {
    about: 'it stops by itself when the user speaks',
    cast: { realtime: { speed: 2, yields: true } },
  },
  'realtime model stalls': {
    about: 'it never says a word',
    cast: { realtime: { answers: () => [{ stall: true }] } },
  },
  'realtime model fails': {
    about: 'every answer fails',
    cast: { realtime: { answers: () => [{ fail: new Error('overloaded') }] } },
  },
  'realtime model writes nothing down': {
    about: 'no final text',
    cast: { realtime: { finalAfter: 'never' } },
  },
  'line never confirms': { about: 'no mark comes back', cast: { line: { confirms: false } } },
  'line is an avatar': {
    about: 'sound goes on 800 ms after a clear',
    cast: { line: { avatar: { lag: 800 } } },
  },
  'line confirms from inside clear()': {
    about: 'marks come back in the call',
    cast: { line: { marksAtOnce: true } },
  },
  'stt never gives final text': { about: 'all stays interim', cast: { stt: { finalAfter: 'never' } } },
  'stt talks after its end': {
    about: 'text comes when all is over',
    cast: { stt: { talksAfterEnd: true, finalAfter: 6_000 } },
  },
  'listeners throw': {
    about: 'every listener of every event throws',
    spoil: ({ session }) => {
      const boom = (): never => {
        throw new Error('listener')
      }
      for (const name of ['started', 'state', 'user', 'speaking', 'spoken', 'error', 'closed'] as const) {
        session.on(name, boom)
        session.on(name, () => Promise.reject(new Error('late listener')))
      }
    },
  },
}
