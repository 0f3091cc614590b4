/**
 * What a page and a line say to each other over one WebSocket. Both sides import this file, and it imports nothing.
 *
 *   page                                                    line
 *    │── upgrade, offering `endwell.1` and a ticket ─────────▶│  `token.…`, or `rejoin.CALL.KEY.GENERATION`
 *    │◀──── hello { call, key, generation, sampleRate, … } ───│
 *    │── ready { generation, sound, played?, buffered? } ────▶│  confirms the generation; from here on sound is sent
 *    │◀──────────────────── sound: position and PCM16 … ──────│  never more than a little ahead of what was played
 *    │◀──────────────────────────────── mark { id, at } ──────│
 *    │── played { at } … ────────────────────────────────────▶│  a few times a second, while something sounds
 *    │── marked { id, heard } ───────────────────────────────▶│
 *    │◀──────────────────────────────────── clear { at } ─────│
 *    │── sound: PCM16 … · text · dtmf · sound on or off ─────▶│
 *    │◀──────────────── ping … pong ─────────────────────────▶│  what lives answers
 *    │── hang-up ────────────────────────────────────────────▶│
 *    │◀──────────────────────────────────── bye { reason } ───│  then the close frame
 *
 * A *position* counts the samples that were ever queued for the caller in this call. It names a moment of the sound for
 * both sides, also after a clear and in a page that has come back: a mark is a position, sound before the position of
 * the last clear is late and is dropped, and a page that rejoins says how far it has played.
 *
 * Control is JSON text, sound is binary. PCM16 is little-endian; sound to the page has its position in front.
 */

export const version = 1

/** What a page offers as WebSocket subprotocol, and the line chooses. A ticket is offered beside it, never chosen. */
export const subprotocol = `endwell.${version}`

/** Milliseconds of sound in one message. */
export const frameLength = 20

/** From the line to the page. */
export type LineMessage =
  | {
      readonly type: 'hello'
      readonly version: number
      readonly call: string
      /** Opens the way back into this call after a cut. A secret of the page. */
      readonly key: string
      /** The page says it again in `ready`, and when it comes back: an older one is not let in. */
      readonly generation: number
      readonly sampleRate: number
      /** Milliseconds within which a page that was cut off may come back. */
      readonly rejoinWithin: number
      /** Milliseconds between two signs of life from the line, at most. */
      readonly pingEvery: number
    }
  /** Wants to be told when everything before `at` has been heard or thrown away. A mark can come twice. */
  | { readonly type: 'mark'; readonly id: number; readonly at: number }
  /** Sound before `at` is thrown away, also if it has not come yet. */
  | { readonly type: 'clear'; readonly at: number }
  | { readonly type: 'ping' }
  | { readonly type: 'bye'; readonly reason: ByeReason }

/** `hung-up`: the page asked. `ended`: the session closed. `unanswered`: nobody took the call. `closing`: the server goes. */
export type ByeReason = 'hung-up' | 'ended' | 'unanswered' | 'closing'

/** From the page to the line. */
export type PageMessage =
  | {
      readonly type: 'ready'
      readonly generation: number
      /** Whether sound comes out. */
      readonly sound: boolean
      /** Where the page is in the sound, and how far what it has reaches. Absent in a page that knows nothing yet. */
      readonly played?: number
      readonly buffered?: number
    }
  | { readonly type: 'played'; readonly at: number }
  /** `heard` is in milliseconds, since the mark before. */
  | { readonly type: 'marked'; readonly id: number; readonly heard: number }
  /** Sound comes out, or does not any more: the browser may forbid it, or the machine sleeps. */
  | { readonly type: 'sound'; readonly on: boolean }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'dtmf'; readonly digit: string }
  | { readonly type: 'pong' }
  | { readonly type: 'hang-up' }

/** Codes of a close frame that mean something: 4000 and the status that a refusal has in HTTP. */
export const closeCodes = { bye: 1000, replaced: 4409, misbehaved: 4400 } as const

/** Whether a close code is a refusal: knocking again would not help. */
export const isRefusal = (code: number): boolean => code >= 4400 && code < 4600

/** The way back into a call. */
export interface Ticket {
  readonly call: string
  readonly key: string
  readonly generation: number
}

/** What a page offers to be let in: its token, if it has one, or its ticket. */
export function offer(credentials: {
  readonly token?: string | undefined
  readonly ticket?: Ticket | undefined
}): string[] {
  const { token, ticket } = credentials
  if (ticket) return [subprotocol, `rejoin.${ticket.call}.${ticket.key}.${ticket.generation}`]
  return token === undefined ? [subprotocol] : [subprotocol, `token.${token}`]
}

/** What a page has offered. */
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

/** Bytes in front of the samples: the position, eight so that it never runs out, and the samples stay aligned. */
const HEADER = 8

export function encodeSound(position: number, samples: Int16Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEADER + samples.length * 2)
  const view = new DataView(bytes.buffer)
  view.setFloat64(0, position, true)
  for (let i = 0; i < samples.length; i++) view.setInt16(HEADER + i * 2, samples[i]!, true)
  return bytes
}

export function decodeSound(bytes: ArrayBuffer): { position: number; samples: Int16Array<ArrayBuffer> } {
  const view = new DataView(bytes)
  const samples = new Int16Array((bytes.byteLength - HEADER) >> 1)
  for (let i = 0; i < samples.length; i++) samples[i] = view.getInt16(HEADER + i * 2, true)
  return { position: view.getFloat64(0, true), samples }
}

/** What a page says, if it is something that this version knows. Pages are not to be trusted. */
export function readPageMessage(json: string): PageMessage | undefined {
  const said = parse(json)
  if (!said) return undefined
  switch (said['type']) {
    case 'ready': {
      const { generation, sound, played, buffered } = said
      if (!isCount(generation) || typeof sound !== 'boolean') return undefined
      const place = isCount(played) && isCount(buffered) ? { played, buffered } : {}
      return { type: 'ready', generation, sound, ...place }
    }
    case 'played':
      return isCount(said['at']) ? { type: 'played', at: said['at'] } : undefined
    case 'marked':
      return isCount(said['id']) && isCount(said['heard'])
        ? { type: 'marked', id: said['id'], heard: said['heard'] }
        : undefined
    case 'sound':
      return typeof said['on'] === 'boolean' ? { type: 'sound', on: said['on'] } : undefined
    case 'text':
      return typeof said['text'] === 'string' ? { type: 'text', text: said['text'] } : undefined
    case 'dtmf':
      return isDigit(said['digit']) ? { type: 'dtmf', digit: said['digit'] } : undefined
    case 'pong':
      return { type: 'pong' }
    case 'hang-up':
      return { type: 'hang-up' }
    default:
      return undefined
  }
}

/** What the line says. A page trusts it as far as it trusts where it dialled; what it does not know it leaves. */
export function readLineMessage(json: string): LineMessage | undefined {
  return parse(json) as LineMessage | undefined
}

export const isDigit = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9*#A-D]$/.test(value)

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0

function parse(json: string): Record<string, unknown> | undefined {
  try {
    const said: unknown = JSON.parse(json)
    return typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
