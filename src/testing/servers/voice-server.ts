import type { SpeechPace } from './speech-steps.ts'
import { VendorServer, type ServerSession, type VendorServerOptions } from './vendor-server.ts'

/**
 * - `mute`: sends nothing for any text
 * - `never done`: speaks everything, but never confirms the end of a context
 * - `drops mid-context`: breaks the connection after the first audio of a context
 * - `fails`: reports an error after the first audio of a context
 * - `talks on`: speaks a cancelled context to its end
 * - `garbles`: sends audio in messages that are not JSON
 */
export type VoiceRudeness = 'mute' | 'never done' | 'drops mid-context' | 'fails' | 'talks on' | 'garbles'

/** Options of every streaming text-to-speech with contexts. */
export interface VoiceServerOptions<Rudeness extends string = VoiceRudeness> extends VendorServerOptions {
  /** The key that every client must have. Default: any. */
  key?: string
  /** Milliseconds before the first audio of a text. Default: 0. */
  thinks?: number
  /** Milliseconds between two chunks of 100 ms each. Default: 10. */
  every?: number
  /** Milliseconds of audio per character. Default: 50. */
  msPerCharacter?: number
  rude?: readonly Rudeness[]
}

/** How a server speaks. */
export interface VoiceManners<Rudeness extends string = VoiceRudeness> extends SpeechPace {
  readonly msPerCharacter: number
  readonly rude: ReadonlySet<Rudeness>
}

/** A session whose requests can be inspected. */
export interface VoiceSession extends ServerSession {
  /** All requests received, in order. */
  readonly requests: readonly object[]
}

/** A streaming text-to-speech on which many speeches, each with a context, share one connection. */
export abstract class VoiceServer<
  Session extends VoiceSession,
  Rudeness extends string = VoiceRudeness,
> extends VendorServer<Session> {
  /** How it misbehaves from now on. */
  readonly rude: Set<Rudeness>
  protected readonly voice: VoiceManners<Rudeness>
  readonly #key: string | undefined

  constructor(options: VoiceServerOptions<Rudeness> = {}) {
    const { key, thinks = 0, every = 10, msPerCharacter = 50, rude, ...others } = options
    super(others)
    this.#key = key
    this.rude = new Set(rude)
    this.voice = { thinks, every, msPerCharacter, rude: this.rude }
  }

  /** Whether one of these keys is the right one. */
  protected isAllowed(...keys: readonly (string | null | undefined)[]): boolean {
    return this.#key === undefined || keys.includes(this.#key)
  }
}
