import type { FullCall, FullCallOptions } from './full-call.ts'

/** Misbehaviour that a fault in a single step cannot express: of streams, marks and listeners. */
export interface MisbehavingParts {
  readonly about: string
  readonly call?: FullCallOptions
  readonly tamper?: (call: FullCall) => void
}

export const misbehavingParts: Readonly<Record<string, MisbehavingParts>> = {
  'llm ignores its signal': {
    about: 'generation continues',
    call: { llm: { ignoresSignal: true, every: 200 } },
  },
  'llm stalls': {
    about: 'no word ever arrives',
    call: { llm: { answers: () => [{ stall: true }], ignoresSignal: true } },
  },
  'llm fails': {
    about: 'every answer fails',
    call: { llm: { answers: () => [{ fail: new Error('overloaded') }] } },
  },
  'tts ignores its signal': {
    about: 'speech continues',
    call: { tts: { ignoresSignal: true, speed: 1 } },
  },
  'tts never yields': {
    about: 'no frame ever arrives',
    call: { tts: { stallAfter: 0, ignoresSignal: true } },
  },
  'tts fails midway': {
    about: 'it fails after 300 ms',
    call: { tts: { failAfter: 300, error: new Error('voice failed') } },
  },
  'realtime model ignores interruptions': {
    about: 'sound keeps arriving',
    call: { realtime: { speed: 1, interruptTakes: 20_000 } },
  },
  'realtime model yields': {
    about: 'the model stops when the user speaks',
    call: { realtime: { speed: 2, yields: true } },
  },
  'realtime model stalls': {
    about: 'no word ever arrives',
    call: { realtime: { answers: () => [{ stall: true }] } },
  },
  'realtime model fails': {
    about: 'every answer fails',
    call: { realtime: { answers: () => [{ fail: new Error('overloaded') }] } },
  },
  'realtime model sends no transcript': {
    about: 'no final text',
    call: { realtime: { finalAfter: 'never' } },
  },
  'line never confirms': { about: 'no mark comes back', call: { line: { confirms: false } } },
  'line is an avatar': {
    about: 'sound continues for 800 ms after a clear',
    call: { line: { avatar: { lag: 800 } } },
  },
  'line confirms from inside clear()': {
    about: 'marks come back inside the call',
    call: { line: { marksAtOnce: true } },
  },
  'stt never sends final text': { about: 'all text stays interim', call: { stt: { finalAfter: 'never' } } },
  'stt talks after its end': {
    about: 'text arrives after the close',
    call: { stt: { talksAfterEnd: true, finalAfter: 6_000 } },
  },
  'listeners throw': {
    about: 'every listener of every event throws',
    tamper: ({ session }) => {
      const fail = (): never => {
        throw new Error('listener')
      }
      for (const name of ['started', 'state', 'user', 'speaking', 'spoken', 'error', 'closed'] as const) {
        session.on(name, fail)
        session.on(name, () => Promise.reject(new Error('late listener')))
      }
    },
  },
}
