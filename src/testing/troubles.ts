import type { ScriptedLlmOptions } from './scripted-llm.ts'
import type { ScriptedRealtimeOptions } from './scripted-realtime-options.ts'
import type { ScriptedSttOptions } from './scripted-stt.ts'
import type { ScriptedTtsOptions } from './scripted-tts.ts'
import type { TestLineOptions } from './test-line-options.ts'

/** How the scripted models and the line of a call differ from their defaults. */
export interface CallParts {
  readonly line?: TestLineOptions
  readonly stt?: ScriptedSttOptions
  readonly llm?: ScriptedLlmOptions
  readonly tts?: ScriptedTtsOptions
  /** Uses a realtime model instead of the other models. */
  readonly realtime?: ScriptedRealtimeOptions
}

/** A misbehaviour of a model or of the line. */
export interface Trouble {
  readonly about: string
  readonly parts: CallParts
}

/** Troubles of models and lines that a fault in a single step cannot express, by name. */
export const troubles: Readonly<Record<string, Trouble>> = {
  'llm ignores its signal': {
    about: 'generation continues',
    parts: { llm: { ignoresSignal: true, every: 200 } },
  },
  'llm stalls': {
    about: 'no word ever arrives',
    parts: { llm: { answers: () => [{ stall: true }], ignoresSignal: true } },
  },
  'llm fails': {
    about: 'every answer fails',
    parts: { llm: { answers: () => [{ fail: new Error('overloaded') }] } },
  },
  'tts ignores its signal': {
    about: 'speech continues',
    parts: { tts: { ignoresSignal: true, speed: 1 } },
  },
  'tts never yields': {
    about: 'no frame ever arrives',
    parts: { tts: { stallAfter: 0, ignoresSignal: true } },
  },
  'tts fails midway': {
    about: 'it fails after 300 ms',
    parts: { tts: { failAfter: 300, error: new Error('voice failed') } },
  },
  'realtime model ignores interruptions': {
    about: 'sound keeps arriving',
    parts: { realtime: { speed: 1, interruptTakes: 20_000 } },
  },
  'realtime model yields': {
    about: 'the model stops when the user speaks',
    parts: { realtime: { speed: 2, yields: true } },
  },
  'realtime model stalls': {
    about: 'no word ever arrives',
    parts: { realtime: { answers: () => [{ stall: true }] } },
  },
  'realtime model fails': {
    about: 'every answer fails',
    parts: { realtime: { answers: () => [{ fail: new Error('overloaded') }] } },
  },
  'realtime model sends no transcript': {
    about: 'no final text',
    parts: { realtime: { finalAfter: 'never' } },
  },
  'line never confirms': { about: 'no mark comes back', parts: { line: { confirms: false } } },
  'line is an avatar': {
    about: 'sound continues for 800 ms after a clear',
    parts: { line: { avatar: { lag: 800 } } },
  },
  'line confirms from inside clear()': {
    about: 'marks come back inside the call',
    parts: { line: { marksAtOnce: true } },
  },
  'stt never sends final text': { about: 'all text stays interim', parts: { stt: { finalAfter: 'never' } } },
  'stt talks after its end': {
    about: 'text arrives after the close',
    parts: { stt: { talksAfterEnd: true, finalAfter: 6_000 } },
  },
}
