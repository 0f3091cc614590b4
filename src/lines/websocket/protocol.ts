/**
 * The messages between a page and a line over one WebSocket. Both sides import this file, so it imports nothing.
 *
 *   page                                                    line
 *    │── upgrade, offering `endwell.2` and a credential ─────▶│  `token.…`, or `rejoin.CALL.KEY.GENERATION`
 *    │◀──── hello { call, key, generation, sampleRate, … } ───│
 *    │── ready { generation, sound, played?, buffered? } ────▶│  confirms the generation; from now on sound is sent
 *    │◀───────────────────────────── from { at } ─────────────│  where the sound that follows begins
 *    │◀────────────────────────────── sound: PCM16 … ─────────│  only a little ahead of what was played
 *    │◀──────────────────────────────── mark { id, at } ──────│
 *    │── played { at } … ────────────────────────────────────▶│  a few times per second, while sound plays
 *    │── marked { id, heard } ───────────────────────────────▶│
 *    │◀──────────────────────────────────── clear { at } ─────│
 *    │◀─────────── transcript { from, entries, interim } ─────│  if the server wants the page to show it
 *    │── sound: PCM16 … · text · dtmf · sound on or off ─────▶│
 *    │◀──────────────── ping … pong ─────────────────────────▶│  shows that the page is alive
 *    │── hang-up ────────────────────────────────────────────▶│
 *    │◀──────────────────────────────────── bye { reason } ───│  then the close frame
 *
 * A *position* counts the samples that were ever queued for the caller in this call. It names the same moment for both
 * sides, also after a clear and in a page that has rejoined: a mark is a position, sound before the position of the last
 * clear is late and is dropped, and a page that rejoins reports how far it has played.
 *
 * Control messages are JSON text; sound is binary PCM16, little-endian. On one connection, sound to the page begins where
 * the sound before it ended. If it does not, and before the first sound, a `from` says where.
 */

export const version = 2

/** The WebSocket subprotocol that a page offers and the line chooses. A credential is offered beside it, never chosen. */
export const subprotocol = `endwell.${version}`

/** From the line to the page. */
export type LineMessage =
  | {
      readonly type: 'hello'
      readonly version: number
      readonly call: string
      /** Lets the page rejoin this call after a cut. The page keeps it secret. */
      readonly key: string
      /** The page repeats it in `ready` and when it rejoins. A page with an older one is refused. */
      readonly generation: number
      readonly sampleRate: number
      /** Milliseconds within which a page that was cut off may rejoin. */
      readonly rejoinWithin: number
      /** Milliseconds between two pings of the line. */
      readonly pingEvery: number
    }
  /** Asks for `marked` when everything before `at` has been heard or thrown away. A mark can come twice. */
  | { readonly type: 'mark'; readonly id: number; readonly at: number }
  /** The sound that follows begins at this position. */
  | { readonly type: 'from'; readonly at: number }
  /** Throws away sound before `at`, also if it has not arrived yet. */
  | { readonly type: 'clear'; readonly at: number }
  | TranscriptMessage
  | { readonly type: 'ping' }
  | { readonly type: 'bye'; readonly reason: ByeReason }

/** Replaces the transcript from its entry number `from` on. */
export interface TranscriptMessage {
  readonly type: 'transcript'
  readonly from: number
  readonly entries: readonly TranscriptEntry[]
  /** What the caller is saying now. It may still change. Empty if the caller is silent. */
  readonly interim: string
}

/** Something that was said in a call. */
export interface TranscriptEntry {
  /** Stays the same while the entry changes. */
  readonly id: string
  readonly by: 'caller' | 'agent'
  /** What was said. For the agent, only what was heard so far. */
  readonly text: string
  /** When it began, in milliseconds since 1970 by the clock of the server. */
  readonly at: number
  /** Set if the agent was interrupted. */
  readonly interrupted?: boolean
}

/**
 * - `hung-up`: the page asked for it
 * - `ended`: the session closed
 * - `unanswered`: no session took the call
 * - `closing`: the server shuts down
 */
export type ByeReason = 'hung-up' | 'ended' | 'unanswered' | 'closing'

/** From the page to the line. */
export type PageMessage =
  | {
      readonly type: 'ready'
      readonly generation: number
      /** Whether the page can make sound. */
      readonly sound: boolean
      /** How far the page has played, and how far its buffer reaches. Absent in a page that was just loaded. */
      readonly played?: number
      readonly buffered?: number
    }
  | { readonly type: 'played'; readonly at: number }
  /** `heard`: milliseconds since the mark before. */
  | { readonly type: 'marked'; readonly id: number; readonly heard: number }
  /** The page can make sound, or no longer can: the browser may forbid it, or the machine sleeps. */
  | { readonly type: 'sound'; readonly on: boolean }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'dtmf'; readonly digit: string }
  | { readonly type: 'pong' }
  | { readonly type: 'hang-up' }

/** Codes of a close frame. A refusal has 4000 plus the HTTP status it would have. */
export const closeCodes = { bye: 1000, replaced: 4409, misbehaved: 4400 } as const

/** Whether a close code is a refusal: dialling again would not help. */
export const isRefusal = (code: number): boolean => code >= 4400 && code < 4600

/** What a page needs to rejoin a call. */
export interface Ticket {
  readonly call: string
  readonly key: string
  readonly generation: number
}

/** The subprotocols that a page offers: ours, and its token or its ticket. */
export function offer(credentials: {
  readonly token?: string | undefined
  readonly ticket?: Ticket | undefined
}): string[] {
  const { token, ticket } = credentials
  if (ticket) return [subprotocol, `rejoin.${ticket.call}.${ticket.key}.${ticket.generation}`]
  return token === undefined ? [subprotocol] : [subprotocol, `token.${token}`]
}

/** Reads what a page offers. */
export function readOffer(protocols: readonly string[]): {
  readonly known: boolean
  readonly token?: string
  readonly ticket?: Ticket
} {
  const known = protocols.includes(subprotocol)
  for (const each of protocols) {
    const [, token] = /^token\.(.+)$/.exec(each) ?? []
    if (token !== undefined) return { known, token }
    const [, call, key, generation] = /^rejoin\.([^.]+)\.([^.]+)\.(\d{1,9})$/.exec(each) ?? []
    if (call !== undefined && key !== undefined)
      return { known, ticket: { call, key, generation: Number(generation) } }
  }
  return { known }
}

/** Encodes sound to the page. The bytes share the memory of the samples. */
export function encodeSound(samples: Int16Array): Uint8Array {
  const { buffer, byteOffset, byteLength } = littleEndian ? samples : swapped(samples.slice())
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/**
 * Decodes sound from the page, whose bytes nobody else may change. They are copied only if they start at an odd address, or
 * are a small slice of memory that the samples would keep alive.
 */
export function decodeVoice<Memory extends ArrayBufferLike>(
  bytes: Uint8Array<Memory>,
): Int16Array<Memory | ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes
  const own = byteOffset % 2 === 0 && 2 * byteLength >= buffer.byteLength ? bytes : new Uint8Array(bytes)
  return swapped(new Int16Array(own.buffer, own.byteOffset, byteLength >> 1))
}

/** Typed arrays have the byte order of the machine, which nearly everywhere is the order of the wire. */
const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

/** Swaps the bytes of all samples in place, on machines with the other byte order. */
function swapped<Samples extends Int16Array>(samples: Samples): Samples {
  if (littleEndian) return samples
  for (let i = 0; i < samples.length; i++) samples[i] = (samples[i]! << 8) | ((samples[i]! >> 8) & 0xff)
  return samples
}

/** Reads a message of a page. Undefined if this version does not know it. Pages are not trusted. */
export function readPageMessage(json: string): PageMessage | undefined {
  const fields = parse(json)
  if (!fields) return undefined
  const { type, generation, sound, played, buffered, at, id, heard, on, text, digit } = fields
  switch (type) {
    case 'ready': {
      if (!isCount(generation) || typeof sound !== 'boolean') return undefined
      const place = isCount(played) && isCount(buffered) ? { played, buffered } : {}
      return { type, generation, sound, ...place }
    }
    case 'played':
      return isCount(at) ? { type, at } : undefined
    case 'marked':
      return isCount(id) && isCount(heard) ? { type, id, heard } : undefined
    case 'sound':
      return typeof on === 'boolean' ? { type, on } : undefined
    case 'text':
      return typeof text === 'string' ? { type, text } : undefined
    case 'dtmf':
      return isDigit(digit) ? { type, digit } : undefined
    case 'pong':
    case 'hang-up':
      return { type }
    default:
      return undefined
  }
}

export const isDigit = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9*#A-D]$/.test(value)

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0

function parse(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
