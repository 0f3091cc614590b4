import type { Models, Toolset } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedStt, ScriptedTts, ScriptedVad } from '../../src/testing/index.ts'
import type { Vendor } from './vendor-side.ts'

export const LONG = 'This is a long answer, so that there is time enough to end the call in the middle of it.'

/** What keeps a provider busy. */
export type Busy = 'the caller speaks' | 'the agent speaks' | 'the agent thinks' | 'the agent answers'

export interface Setup {
  readonly vendor: Vendor
  /** The models of the session, including the provider. */
  models(url: string): Models
  readonly busy: Busy
  /** Makes the vendor leave all further requests unanswered. */
  readonly stopAnswering?: () => void
  readonly toolsets?: (url: string) => readonly Toolset[]
  /** Makes the vendor announce the end of the connection, report that the session has expired, or lose it for good. */
  readonly announceEnd?: () => void
}

/** A provider, its vendor's server, and how a session keeps it busy. */
export interface Subject {
  readonly name: string
  /** Whether it keeps one connection for the call, opens one per request, or runs in threads. */
  readonly holds: 'a socket' | 'requests' | 'threads'
  /** Set if the vendor must say that a connection is ready: as the first message, or as the answer to one. */
  readonly setsUp?: 'vendor first' | 'client first'
  /** How the vendor closes an idle connection. */
  readonly idleEnd?: { readonly code: number; readonly reason: string }
  /** How the vendor announces the end of a connection. */
  readonly ends?: 'going away' | 'expired' | 'lost'
  setUp(): Setup
}

/** Models that do not concern the provider. */
export const pipeline = () => ({
  llm: new ScriptedLlm({ answers: () => LONG }),
  tts: new ScriptedTts({ speed: 1 }),
  stt: new ScriptedStt(),
  vad: new ScriptedVad(),
})
