import { createHmac } from 'node:crypto'
import { clip } from '../../scope/index.ts'
import { same } from '../secrets.ts'
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
import {
  asCallName,
  asFields,
  asName,
  asNumber,
  asParameters,
  isMuLaw,
  parse,
  type Fields,
} from './stream-json.ts'

export interface TwilioAccount {
  readonly authToken: string | undefined
  /** Checks requests as well, while the auth token is being replaced. */
  readonly secondaryAuthToken?: string | undefined
  readonly accountSid: string | undefined
  readonly api: string
}

/** The error code for ending a call that has ended already. */
const NOT_IN_PROGRESS = 21_220
const NO_SUCH_CALL = 20_404

/** Twilio: Media Streams, TwiML and the REST API. */
export function twilio({ authToken, secondaryAuthToken, accountSid, api }: TwilioAccount): Carrier {
  const tokens = [authToken, secondaryAuthToken].filter((token) => token !== undefined)
  const about = (call: string, reported: string | undefined): ApiRequest | undefined => {
    const account = accountSid ?? reported
    if (authToken === undefined || account === undefined) return undefined
    const path = `2010-04-01/Accounts/${encodeURIComponent(account)}/Calls/${encodeURIComponent(call)}.json`
    const authorization = `Basic ${base64(Buffer.from(`${account}:${authToken}`))}`
    return { method: 'GET', url: `${api}/${path}`, headers: { authorization } }
  }
  const change = (
    call: string,
    reported: string | undefined,
    fields: Readonly<Record<string, string>>,
  ): ApiRequest | undefined => {
    const resource = about(call, reported)
    if (!resource) return undefined
    const headers = { ...resource.headers, 'content-type': 'application/x-www-form-urlencoded' }
    return { method: 'POST', url: resource.url, headers, body: new URLSearchParams(fields).toString() }
  }
  return {
    name: 'twilio',
    read: (json) => readMessage(json, readStart),
    writer: (streamSid) => ({
      sound: (bytes) => JSON.stringify({ event: 'media', streamSid, media: { payload: base64(bytes) } }),
      mark: (name) => JSON.stringify({ event: 'mark', streamSid, mark: { name } }),
      clear: () => JSON.stringify({ event: 'clear', streamSid }),
    }),
    connect: ({ url, after, parameters }) =>
      connectDocument(`<Stream url="${attribute(url)}">${parameterElements(parameters)}</Stream>`, after),
    signed: (request) => tokens.some((token) => isSigned(token, request)),
    signsQuery: true,
    signsStreams: true,
    webhookId: () => undefined,
    keepsOrder: true,
    hangUp: (call, reported) => change(call, reported, { Status: 'completed' }),
    creates: 'authToken and accountSid',
    canCreate: (account) => authToken !== undefined && (accountSid ?? account) !== undefined,
    create: ({ to, from, account, ringTimeout, detection, url, status, verdict }) => {
      const resource = about('', account)
      if (!resource) return undefined
      const form = new URLSearchParams({
        To: to,
        From: from,
        Url: url,
        Method: 'POST',
        StatusCallback: status,
      })
      for (const event of ['initiated', 'ringing', 'answered', 'completed'])
        form.append('StatusCallbackEvent', event)
      form.set('Timeout', String(Math.round(ringTimeout / 1_000)))
      if (detection === 'before') form.set('MachineDetection', 'Enable')
      if (detection === 'beside') {
        form.set('MachineDetection', 'DetectMessageEnd')
        form.set('AsyncAmd', 'true')
        form.set('AsyncAmdStatusCallback', verdict)
        form.set('AsyncAmdStatusCallbackMethod', 'POST')
      }
      const headers = { ...resource.headers, 'content-type': 'application/x-www-form-urlencoded' }
      return { method: 'POST', url: resource.url.replace('/.json', '.json'), headers, body: form.toString() }
    },
    createdIn: (body) => asCallName(parse(body)?.['sid']),
    problemIn: (body) => {
      const { code, message } = parse(body) ?? {}
      return `${String(asNumber(code) ?? 'no code')}, ${clip(asName(message) ?? 'no message', 100)}`
    },
    redirect: (call, reported, document) => change(call, reported, { Twiml: document }),
    record: (call, reported, recording) => {
      const resource = about(call, reported)
      const recordings = resource?.url.replace(/\.json$/, '/Recordings')
      return resource && recordRequest(resource, recordings!, recording, recording.id ?? 'Twilio.CURRENT')
    },
    look: about,
    hasEnded: (status, body) => {
      const code = asNumber(parse(body)?.['code'])
      if (status === 400) return code === NOT_IN_PROGRESS
      // A call that Twilio does not know, or no longer. A 404 of another server says nothing about it.
      if (status === 404) return code === NO_SUCH_CALL
      return status >= 200 && status < 300
    },
  }
}

function readStart({ streamSid }: Fields, start: Fields): StartMessage | undefined {
  const call = asCallName(start['callSid'])
  const stream = asName(start['streamSid'] ?? streamSid)
  if (call === undefined || stream === undefined) return undefined
  const { encoding, sampleRate, channels } = asFields(start['mediaFormat']) ?? {}
  return {
    type: 'start',
    call,
    stream,
    account: asName(start['accountSid']),
    understood: isMuLaw(encoding, sampleRate, channels),
    parameters: asParameters(start['customParameters']),
  }
}

/** Checks the HMAC-SHA1 over the address and the sorted parameters. Twilio spells addresses in several ways. */
function isSigned(authToken: string, { headers, url, form }: SignedRequest): boolean {
  const signature = headers['x-twilio-signature']
  if (typeof signature !== 'string') return false
  const parameters = [...new Set(form.keys())]
    .toSorted()
    .flatMap((name) => [...new Set(form.getAll(name))].toSorted().map((value) => name + value))
    .join('')
  // Checks every spelling, even after a match, so that the time this takes reveals nothing.
  const fits = spellings(url).map((each) =>
    same(
      signature,
      createHmac('sha1', authToken)
        .update(each + parameters)
        .digest('base64'),
    ),
  )
  return fits.includes(true)
}

/** The address with and without its port; for a stream, also with a slash at the end. */
function spellings(url: string): string[] {
  if (!URL.canParse(url)) return []
  const { protocol, port, hostname } = new URL(url)
  const authority = url.slice(url.indexOf('//') + 2).split('/', 1)[0]!
  const usual = protocol === 'https:' || protocol === 'wss:' ? '443' : '80'
  const withPort = url.replace(authority, `${hostname}:${port === '' ? usual : port}`)
  const without = url.replace(authority, hostname)
  const all = [url, withPort, without]
  return protocol.startsWith('ws') ? [...all, ...all.map((each) => `${each}/`)] : all
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
}
