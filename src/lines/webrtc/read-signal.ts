import type { IceCandidate } from './thread-messages.ts'
import { limits } from './limits.ts'

/** An offer of a client. */
export interface Offer {
  readonly sdp: string
  /** The connection that the client believes to have. */
  readonly pcId: string | undefined
  readonly data: unknown
}

/** Candidates of a client, for one of its connections. */
export interface Candidates {
  readonly pcId: string
  readonly candidates: readonly IceCandidate[]
}

/** Characters of an SDP section's name, or of a candidate. */
const MAX_TEXT = 1_000

/** Reads the body of an offer, as Pipecat's `small-webrtc-transport` writes it. Undefined if it is not one. */
export function readOffer(body: string): Offer | undefined {
  const { sdp, type, pc_id: pcId, requestData: data } = objectIn(body) ?? {}
  if (type !== 'offer' || typeof sdp !== 'string') return undefined
  if (sdp.split(/^m=/m).length - 1 > limits.sections) return undefined
  // Clients write null until they have one.
  return { sdp, pcId: typeof pcId === 'string' ? pcId : undefined, data }
}

/** Reads the body of a request with candidates. Undefined if it is not one. */
export function readCandidates(body: string): Candidates | undefined {
  const { pc_id: pcId, candidates } = objectIn(body) ?? {}
  if (typeof pcId !== 'string' || !Array.isArray(candidates) || candidates.length > limits.candidates)
    return undefined
  const read = candidates.map((each) => readCandidate(each))
  return read.every((each) => each !== undefined) ? { pcId, candidates: read } : undefined
}

/** Reads the body of a request that withdraws an offer: the name of its connection. */
export function readConnection(body: string): string | undefined {
  const { pc_id: pcId } = objectIn(body) ?? {}
  return isText(pcId) ? pcId : undefined
}

function readCandidate(value: unknown): IceCandidate | undefined {
  if (!isObject(value)) return undefined
  const { candidate, sdp_mid: mid, sdp_mline_index: index } = value
  if (!isText(candidate)) return undefined
  return {
    candidate,
    ...(isText(mid) ? { sdpMid: mid } : {}),
    ...(Number.isInteger(index) ? { sdpMLineIndex: index as number } : {}),
  }
}

type Fields = Readonly<Record<string, unknown>>

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TEXT

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function objectIn(json: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
