import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { OptionError, clip } from '../../scope/index.ts'
import {
  attribute,
  connectDocument,
  parameterElements,
  recordRequest,
  type ApiRequest,
  type Carrier,
  type SignedRequest,
} from './carrier.ts'
import { readMessage, type StartMessage } from './read-message.ts'
import { asCallName, asFields, asName, asParameters, isMuLaw, parse, type Fields } from './stream-json.ts'

export interface TelnyxAccount {
  readonly apiKey: string | undefined
  /** Base64, as the portal shows it. */
  readonly publicKey: string | undefined
  /** The id of the TeXML application that calls out. */
  readonly application: string | undefined
  readonly api: string
}

/** The error code for ending a call that has ended already. */
const HAS_ENDED = '"90018"'

/** Seconds for which Telnyx lets a phone ring. */
const LONGEST_RING = 120

/** Detection beside a call. The verdict must not cut off what the agent is saying. */
const detectBeside = {
  MachineDetection: 'DetectMessageEnd',
  AsyncAmd: true,
  AsyncAmdStatusCallbackMethod: 'POST',
  CancelPlaybackOnMachineDetection: false,
  CancelPlaybackOnDetectMessageEnd: false,
} as const

/** An older webhook may be a replay. */
const LONGEST_DELAY = 5 * 60_000

/** The DER header of an Ed25519 public key, which the 32 bytes of the key follow. */
const KEY_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/** Telnyx: media streaming, TeXML and the REST API. Its messages are Twilio's with other field names. */
export function telnyx({ apiKey, publicKey, application, api }: TelnyxAccount): Carrier {
  const key = publicKey === undefined ? undefined : readKey(publicKey)
  const texml = (call: string, account: string | undefined): ApiRequest | undefined => {
    if (apiKey === undefined || account === undefined) return undefined
    const path = `v2/texml/Accounts/${encodeURIComponent(account)}/Calls/${encodeURIComponent(call)}`
    return { method: 'GET', url: `${api}/${path}`, headers: { authorization: `Bearer ${apiKey}` } }
  }
  const action = (call: string, name: string, fields: object): ApiRequest | undefined => {
    if (apiKey === undefined) return undefined
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const url = `${api}/v2/calls/${encodeURIComponent(call)}/actions/${name}`
    return { method: 'POST', url, headers, body: JSON.stringify(fields) }
  }
  return {
    name: 'telnyx',
    read: (json) => readMessage(json, readStart),
    writer: () => ({
      sound: (bytes) =>
        JSON.stringify({ event: 'media', media: { payload: Buffer.from(bytes).toString('base64') } }),
      mark: (name) => JSON.stringify({ event: 'mark', mark: { name } }),
      clear: () => JSON.stringify({ event: 'clear' }),
    }),
    connect: ({ url, after, parameters }) =>
      connectDocument(
        `<Stream url="${attribute(url)}" codec="PCMU" bidirectionalMode="rtp" bidirectionalCodec="PCMU">` +
          `${parameterElements(parameters)}</Stream>`,
        after,
      ),
    signed: (request) => key !== undefined && isSigned(key, request),
    signsQuery: false,
    signsStreams: false,
    // A timestamp is part of what is signed, so each webhook has another signature.
    webhookId: (headers) => headers['telnyx-signature-ed25519']?.toString(),
    keepsOrder: false,
    hangUp: (call) => action(call, 'hangup', {}),
    creates: 'authToken and application, the id of a TeXML application',
    canCreate: () => apiKey !== undefined && application !== undefined,
    create: ({ to, from, ringTimeout, detection, url, status, verdict }) =>
      apiKey === undefined || application === undefined
        ? undefined
        : {
            method: 'POST',
            url: `${api}/v2/texml/calls/${encodeURIComponent(application)}`,
            headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
            body: JSON.stringify({
              To: to,
              From: from,
              Url: url,
              UrlMethod: 'POST',
              StatusCallback: status,
              StatusCallbackMethod: 'POST',
              StatusCallbackEvent: 'initiated ringing answered completed',
              Timeout: Math.min(LONGEST_RING, Math.round(ringTimeout / 1_000)),
              ...(detection === 'before' ? { MachineDetection: 'Enable' } : {}),
              ...(detection === 'beside' ? { ...detectBeside, AsyncAmdStatusCallback: verdict } : {}),
            }),
          },
    createdIn: (body) => asCallName(parse(body)?.['call_sid']),
    problemIn: (body) => {
      const { errors } = parse(body) ?? {}
      const [first] = Array.isArray(errors) ? (errors as readonly unknown[]) : []
      const { code, title } = asFields(first) ?? {}
      return `${asName(code) ?? 'no code'}, ${clip(asName(title) ?? 'no message', 100)}`
    },
    redirect: (call, account, document) => {
      const about = texml(call, account)
      if (!about) return undefined
      const headers = { ...about.headers, 'content-type': 'application/x-www-form-urlencoded' }
      return {
        ...about,
        method: 'POST',
        headers,
        body: new URLSearchParams({ Texml: document }).toString(),
      }
    },
    record: (call, account, recording) => {
      const resource = texml(call, account)
      return resource && recordRequest(resource, `${resource.url}/Recordings`, recording, recording.id)
    },
    press: (call, digits, command_id) => action(call, 'send_dtmf', { digits, command_id }),
    look: (call, account) => texml(call, account),
    hasEnded: (status, body) =>
      (status >= 200 && status < 300) || (status === 422 && body.includes(HAS_ENDED)),
  }
}

function readKey(publicKey: string): KeyObject {
  try {
    const der = Buffer.concat([KEY_PREFIX, Buffer.from(publicKey, 'base64')])
    return createPublicKey({ key: der, format: 'der', type: 'spki' })
  } catch {
    throw new OptionError('publicKey is not an Ed25519 key in base64: copy it from the portal')
  }
}

function readStart({ stream_id }: Fields, start: Fields): StartMessage | undefined {
  const call = asCallName(start['call_control_id'])
  const stream = asName(stream_id)
  if (call === undefined || stream === undefined) return undefined
  const { encoding, sample_rate: rate, channels } = asFields(start['media_format']) ?? {}
  return {
    type: 'start',
    call,
    stream,
    account: asName(start['user_id']),
    understood: isMuLaw(encoding, rate, channels),
    parameters: asParameters(start['custom_parameters']),
  }
}

/** Checks the Ed25519 signature over the timestamp and the body. */
function isSigned(key: KeyObject, { headers, body, date }: SignedRequest): boolean {
  const signature = headers['telnyx-signature-ed25519']
  const timestamp = headers['telnyx-timestamp']
  if (typeof signature !== 'string' || typeof timestamp !== 'string') return false
  if (!(Math.abs(date - Number(timestamp) * 1000) <= LONGEST_DELAY)) return false
  return verify(null, Buffer.from(`${timestamp}|${body}`), key, Buffer.from(signature, 'base64'))
}
