import type { Stt } from '../../../src/parts/index.ts'
import { AssemblyAIStt } from '../../../src/providers/assemblyai/index.ts'
import { CartesiaStt } from '../../../src/providers/cartesia/index.ts'
import { DeepgramFluxStt } from '../../../src/providers/deepgram/index.ts'
import { ElevenLabsStt } from '../../../src/providers/elevenlabs/index.ts'
import {
  AssemblyAIServer,
  CartesiaInkServer,
  DeepgramFluxServer,
  ElevenLabsScribeServer,
  type TurnServerOptions,
} from '../../../src/testing/servers/index.ts'
import type { TurnServer } from '../../../src/testing/servers/turn-server.ts'
import type { TurnSession } from '../../../src/testing/servers/turn-session.ts'

export const KEY = 'secret-0123456789'

export interface TurnOptions {
  readonly apiKey?: string
  readonly url?: string
  readonly endsTurns?: boolean
}

/** An STT that detects turns itself, and its vendor's server. */
export interface TurnSubject {
  readonly name: string
  /** The name of its connection in reports. */
  readonly link: string
  readonly variable: string
  readonly server: (options?: TurnServerOptions) => TurnServer<TurnSession>
  readonly stt: (options?: TurnOptions) => Stt
  /** What the client sends at the end, and how the report then calls the end. */
  readonly end: { readonly type: string; readonly how: 'acknowledged' | 'closed' }
  /** Whether the vendor reports that a turn may have ended. */
  readonly isEager: boolean
  /** Whether the vendor reports words with their times. */
  readonly hasWords: boolean
  /** Malformed messages. */
  readonly malformed: readonly object[]
}

export const turnSubjects: readonly TurnSubject[] = [
  {
    name: 'Deepgram Flux',
    link: 'deepgram',
    variable: 'DEEPGRAM_API_KEY',
    server: (options) => new DeepgramFluxServer({ key: KEY, forceEndTurn: true, ...options }),
    stt: (options) =>
      new DeepgramFluxStt({ apiKey: KEY, eagerThreshold: 0.5, forceEndTurn: true, ...options }),
    end: { type: 'CloseStream', how: 'closed' },
    isEager: true,
    hasWords: true,
    malformed: [
      { type: 'TurnInfo', event: 'EndOfTurn', transcript: { toString: 1 } },
      { type: 'TurnInfo', event: 'EndOfTurn', words: 'none' },
      { type: 'TurnInfo', event: 'EndOfTurn', turn_index: -1 },
    ],
  },
  {
    name: 'AssemblyAI',
    link: 'assemblyai',
    variable: 'ASSEMBLYAI_API_KEY',
    server: (options) => new AssemblyAIServer({ key: KEY, ...options }),
    stt: (options) => new AssemblyAIStt({ apiKey: KEY, ...options }),
    end: { type: 'Terminate', how: 'acknowledged' },
    isEager: false,
    hasWords: true,
    malformed: [
      { type: 'Turn', end_of_turn: true, transcript: 4 },
      { type: 'Turn', end_of_turn: 'yes' },
      { type: 'Turn', words: [{ text: 'a', start: '0' }] },
    ],
  },
  {
    name: 'AssemblyAI universal-streaming',
    link: 'assemblyai',
    variable: 'ASSEMBLYAI_API_KEY',
    server: (options) => new AssemblyAIServer({ key: KEY, ...options }),
    stt: (options) => new AssemblyAIStt({ apiKey: KEY, model: 'universal-streaming-english', ...options }),
    end: { type: 'Terminate', how: 'acknowledged' },
    isEager: true,
    hasWords: true,
    malformed: [{ type: 'Turn', utterance: [] }],
  },
  {
    name: 'Cartesia Ink 2',
    link: 'cartesia',
    variable: 'CARTESIA_API_KEY',
    server: (options) => new CartesiaInkServer({ key: KEY, ...options }),
    stt: (options) => new CartesiaStt({ apiKey: KEY, ...options }),
    end: { type: 'close', how: 'closed' },
    isEager: true,
    hasWords: false,
    malformed: [{ type: 'turn.end', transcript: [] }],
  },
  {
    name: 'ElevenLabs Scribe',
    link: 'elevenlabs',
    variable: 'ELEVENLABS_API_KEY',
    server: (options) => new ElevenLabsScribeServer({ key: KEY, ...options }),
    stt: (options) => new ElevenLabsStt({ apiKey: KEY, ...options }),
    end: { type: 'commit', how: 'acknowledged' },
    isEager: false,
    hasWords: false,
    malformed: [
      { message_type: 'partial_transcript', text: 4 },
      { message_type: 'committed_transcript', text: { toString: 1 } },
    ],
  },
  {
    name: 'ElevenLabs Scribe with timestamps',
    link: 'elevenlabs',
    variable: 'ELEVENLABS_API_KEY',
    server: (options) => new ElevenLabsScribeServer({ key: KEY, ...options }),
    stt: (options) => new ElevenLabsStt({ apiKey: KEY, timestamps: true, ...options }),
    end: { type: 'commit', how: 'acknowledged' },
    isEager: false,
    hasWords: true,
    malformed: [{ message_type: 'committed_transcript_with_timestamps', words: [{ start: '0' }] }],
  },
]
