import type { Tts } from '../../../src/parts/index.ts'
import { CartesiaTts } from '../../../src/providers/cartesia/index.ts'
import { ElevenLabsTts } from '../../../src/providers/elevenlabs/index.ts'
import { InworldTts } from '../../../src/providers/inworld/index.ts'
import { RimeTts } from '../../../src/providers/rime/index.ts'
import {
  CartesiaServer,
  ElevenLabsServer,
  InworldServer,
  RimeServer,
  type VoiceServerOptions,
} from '../../../src/testing/servers/index.ts'
import type { VoiceRudeness, VoiceServer, VoiceSession } from '../../../src/testing/servers/voice-server.ts'

export const KEY = 'secret-0123456789'

export interface VoiceOptions {
  readonly apiKey?: string
  readonly url?: string
  readonly stallTimeout?: number
}

/** A vendor's server, of which the shared tests use only the rudeness that all voices have. */
export type AnyVoiceServer = Omit<VoiceServer<VoiceSession>, 'rude'> & {
  readonly rude: { add(rudeness: VoiceRudeness): unknown; clear(): void }
}

/** A TTS with one context per speech, and its vendor's server. */
export interface VoiceSubject {
  readonly name: string
  /** The name of its connection in reports. */
  readonly link: string
  readonly variable: string
  readonly server: (options?: VoiceServerOptions) => AnyVoiceServer
  readonly tts: (options?: VoiceOptions) => Tts
  /** Whether text is sent in whole sentences. Otherwise it is sent as it comes. */
  readonly isInSentences: boolean
  /** The text in one of the client's messages. */
  readonly text: (request: object) => string | undefined
  /** How the client cancels a context. */
  readonly cancel: (context: string) => object
  /** The vendor's messages of a context. */
  readonly audio: (context: string, base64: unknown) => object
  readonly done: (context: string) => object
  /** Malformed messages of a context, besides audio that is not a string. */
  readonly malformed: readonly ((context: string) => object)[]
}

export const voiceSubjects: readonly VoiceSubject[] = [
  {
    name: 'Cartesia',
    link: 'cartesia',
    variable: 'CARTESIA_API_KEY',
    server: (options) => new CartesiaServer({ key: KEY, ...options }),
    tts: (options) => new CartesiaTts({ apiKey: KEY, voice: 'any', ...options }),
    isInSentences: false,
    text: (request: { transcript?: string }) => request.transcript || undefined,
    cancel: (context_id) => ({ context_id, cancel: true }),
    audio: (context_id, data) => ({ type: 'chunk', context_id, data }),
    done: (context_id) => ({ type: 'done', context_id }),
    malformed: [
      (context_id) => ({ type: 'timestamps', context_id, word_timestamps: { words: [{ toString: 1 }] } }),
    ],
  },
  {
    name: 'ElevenLabs',
    link: 'elevenlabs',
    variable: 'ELEVENLABS_API_KEY',
    server: (options) => new ElevenLabsServer({ key: KEY, ...options }),
    tts: (options) => new ElevenLabsTts({ apiKey: KEY, voice: 'any', ...options }),
    isInSentences: true,
    text: (request: { text?: string }) => (request.text === ' ' ? undefined : request.text),
    cancel: (context_id) => ({ context_id, close_context: true }),
    audio: (contextId, audio) => ({ contextId, audio }),
    done: (contextId) => ({ contextId, isFinal: true }),
    malformed: [
      (contextId) => ({ contextId, audio: '', alignment: { chars: [1] } }),
      (contextId) => ({ contextId, audio: '', alignment: { charStartTimesMs: ['0'] } }),
      (contextId) => ({ contextId, audio: '', alignment: { chars: { length: 3 } } }),
    ],
  },
  {
    name: 'Rime',
    link: 'rime',
    variable: 'RIME_API_KEY',
    server: (options) => new RimeServer({ key: KEY, ...options }),
    tts: (options) => new RimeTts({ apiKey: KEY, voice: 'any', ...options }),
    isInSentences: true,
    text: (request: { text?: string }) => request.text,
    cancel: (contextId) => ({ contextId, cancel: {} }),
    audio: (contextId, audio) => ({ contextId, audio }),
    done: (contextId) => ({ contextId, done: {} }),
    malformed: [
      (contextId) => ({ contextId, done: true }),
      (contextId) => ({ contextId, done: { timestamps: { spans: [{ text: 1 }] } } }),
      (contextId) => ({ contextId, done: { timestamps: { spans: { length: 3 } } } }),
    ],
  },
  {
    name: 'Inworld',
    link: 'inworld',
    variable: 'INWORLD_API_KEY',
    server: (options) => new InworldServer({ key: KEY, ...options }),
    tts: (options) => new InworldTts({ apiKey: KEY, voice: 'any', ...options }),
    isInSentences: true,
    text: (request: { send_text?: { text: string } }) => request.send_text?.text,
    cancel: (contextId) => ({ contextId, close_context: {} }),
    audio: (contextId, audioContent) => ({ result: { contextId, audioChunk: { audioContent } } }),
    done: (contextId) => ({ result: { contextId, contextClosed: {} } }),
    malformed: [
      (contextId) => ({ result: { contextId, contextClosed: true } }),
      (contextId) => ({
        result: { contextId, audioChunk: { timestampInfo: { wordAlignment: { words: [1] } } } },
      }),
      (contextId) => ({
        result: { contextId, audioChunk: { timestampInfo: { wordAlignment: { wordEndTimeSeconds: [-1] } } } },
      }),
    ],
  },
]
