import { generateKeyPairSync, sign } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attribute, type SignedRequest } from './carrier.ts'
import { limits } from './limits.ts'
import { telnyx } from './telnyx.ts'
import { twilio } from './twilio.ts'

const api = 'https://api.example.com'
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const shown = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
const carriers = {
  twilio: twilio({ authToken: '12345', accountSid: 'AC1', api }),
  telnyx: telnyx({ apiKey: 'KEY', application: '12', publicKey: shown, api }),
}

const asked = (more: Partial<SignedRequest>): SignedRequest => ({
  headers: {},
  url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
  form: new URLSearchParams(),
  body: '',
  date: 0,
  ...more,
})

describe('a Twilio signature', () => {
  const form = new URLSearchParams({
    To: '+18005551212',
    From: '+14158675309',
    Digits: '1234',
    Caller: '+14158675309',
    CallSid: 'CA1234567890ABCDE',
  })
  const headers = { 'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' }

  it("[LN5] is accepted in the example that Twilio's own libraries are tested with", () => {
    expect(carriers.twilio.signed(asked({ form, headers }))).toBe(true)
  })

  it('[LN5] is rejected if any field, address, token or signature differs', () => {
    const changed = new URLSearchParams(form)
    changed.set('Digits', '1235')
    const more = new URLSearchParams(form)
    more.append('Digits', '5')
    const { twilio: ours } = carriers
    expect(ours.signed(asked({ form: changed, headers }))).toBe(false)
    expect(ours.signed(asked({ form: more, headers }))).toBe(false)
    expect(ours.signed(asked({ form, headers, url: 'https://mycompany.com/myapp.php?foo=1' }))).toBe(false)
    expect(ours.signed(asked({ form, headers, url: 'not an address' }))).toBe(false)
    expect(ours.signed(asked({ form }))).toBe(false)
    for (const signature of ['', 'RSOYDt4T1cUTdK1PDd93/VVr8B8', 'RSOYDt4T1cUTdK1PDd93/VVr8B9='])
      expect(ours.signed(asked({ form, headers: { 'x-twilio-signature': signature } }))).toBe(false)
    const other = twilio({ authToken: '12346', accountSid: 'AC1', api })
    expect(other.signed(asked({ form, headers }))).toBe(false)
    const none = twilio({ authToken: undefined, accountSid: 'AC1', api })
    expect(none.signed(asked({ form, headers }))).toBe(false)
  })

  it('[LN5] is accepted for the address with and without its port', () => {
    const at = (url: string): boolean => carriers.twilio.signed(asked({ form, headers, url }))
    expect(at('https://mycompany.com:443/myapp.php?foo=1&bar=2')).toBe(true)
    expect(at('https://mycompany.com:8443/myapp.php?foo=1&bar=2')).toBe(true)
    expect(at('http://mycompany.com/myapp.php?foo=1&bar=2')).toBe(false)
  })
})

describe('a Telnyx signature', () => {
  const date = 1_700_000_000_000
  const body = 'CallSid=v3%3Aabc&From=%2B15550100'
  const signed = (timestamp: string, text = body): Record<string, string> => ({
    'telnyx-timestamp': timestamp,
    'telnyx-signature-ed25519': sign(null, Buffer.from(`${timestamp}|${text}`), privateKey).toString(
      'base64',
    ),
  })

  it('[LN5] covers the key, the time and the body', () => {
    const { telnyx: ours } = carriers
    const now = String(date / 1000)
    expect(ours.signed(asked({ headers: signed(now), body, date }))).toBe(true)
    expect(ours.signed(asked({ headers: signed(now), body: `${body}1`, date }))).toBe(false)
    expect(ours.signed(asked({ headers: signed(now), body, date: date + 6 * 60_000 }))).toBe(false)
    expect(ours.signed(asked({ headers: { ...signed(now), 'telnyx-timestamp': 'now' }, body, date }))).toBe(
      false,
    )
    expect(
      ours.signed(asked({ headers: { ...signed(now), 'telnyx-signature-ed25519': 'x' }, body, date })),
    ).toBe(false)
    expect(ours.signed(asked({ body, date }))).toBe(false)
  })

  it('cannot be checked with a malformed key, which is refused', () => {
    expect(() => telnyx({ apiKey: 'KEY', application: '12', publicKey: 'x', api })).toThrow(
      /publicKey is not an Ed25519 key/,
    )
  })
})

describe('reading the messages of a stream', () => {
  it('uses the field names of each carrier', () => {
    const format = { encoding: 'audio/x-mulaw', sampleRate: '8000', channels: '1' }
    const start = {
      callSid: 'CA1',
      accountSid: 'AC1',
      mediaFormat: format,
      customParameters: { a: 'b', c: 1 },
    }
    expect(carriers.twilio.read(JSON.stringify({ event: 'start', streamSid: 'MZ1', start }))).toEqual({
      type: 'start',
      call: 'CA1',
      stream: 'MZ1',
      account: 'AC1',
      understood: true,
      parameters: { a: 'b' },
    })
    const media_format = { encoding: 'PCMA', sample_rate: 8000, channels: 1 }
    const named = { call_control_id: 'v3:abc', user_id: 'u', media_format }
    expect(carriers.telnyx.read(JSON.stringify({ event: 'start', stream_id: 's', start: named }))).toEqual({
      type: 'start',
      call: 'v3:abc',
      stream: 's',
      account: 'u',
      understood: false,
      parameters: {},
    })
  })

  it.each(Object.values(carriers))('understands sound, marks, keys and the end ($name)', ({ read }) => {
    const says = (message: object): unknown => read(JSON.stringify(message))
    expect(says({ event: 'media', media: { track: 'inbound', payload: '//8=' } })).toEqual({
      type: 'sound',
      bytes: Buffer.from([0xff, 0xff]),
    })
    expect(says({ event: 'media', media: { track: 'outbound', payload: '//8=' } })).toEqual({ type: 'other' })
    expect(says({ event: 'mark', mark: { name: '7' } })).toEqual({ type: 'mark', name: '7' })
    expect(says({ event: 'dtmf', dtmf: { digit: '#' } })).toEqual({ type: 'dtmf', digit: '#' })
    expect(says({ event: 'stop' })).toEqual({ type: 'stop' })
    expect(says({ event: 'news' })).toEqual({ type: 'other' })
  })

  it.each([
    '',
    '{',
    'null',
    '[]',
    '7',
    '{}',
    '{"event":7}',
    '{"event":"media"}',
    '{"event":"media","media":{"payload":7}}',
    '{"event":"media","media":{"payload":"ü"}}',
    '{"event":"mark","mark":{"name":""}}',
    '{"event":"dtmf","dtmf":{"digit":"12"}}',
    '{"event":"start","start":{"callSid":7}}',
  ])('returns undefined for a message that makes no sense: %s', (text) => {
    for (const { read } of Object.values(carriers)) expect(read(text)).toBeUndefined()
  })

  it('returns undefined for more than a second of sound in one message', () => {
    const text = JSON.stringify({ event: 'media', media: { payload: 'A'.repeat(2 * limits.sound) } })
    for (const { read } of Object.values(carriers)) expect(read(text)).toBeUndefined()
  })

  it('[LN6] never throws, whatever stands in any field', () => {
    const format = { encoding: 'PCMU', sampleRate: 8000, sample_rate: '8000', channels: 1 }
    const start = { callSid: 'CA1', accountSid: 'AC1', mediaFormat: format, customParameters: { a: 'b' } }
    const other = { call_control_id: 'v3:abc', user_id: 'u', media_format: format, custom_parameters: {} }
    const messages: object[] = [
      { event: 'start', streamSid: 'MZ1', stream_id: 's', start: { ...start, ...other } },
      { event: 'media', media: { track: 'inbound', payload: '//8=' } },
      { event: 'mark', mark: { name: '1' } },
      { event: 'dtmf', dtmf: { digit: '1' } },
    ]
    const odd = fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom({ toString: 1 }, { valueOf: {} }, { length: 1e9 }),
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...messages),
        fc.array(fc.tuple(fc.nat(), odd), { minLength: 1, maxLength: 3 }),
        (message, changes) => {
          const changed = structuredClone(message)
          for (const [place, value] of changes) replaceField(changed, place, structuredClone(value))
          for (const { read } of Object.values(carriers)) read(JSON.stringify(changed))
        },
      ),
      { numRuns: 2_000 },
    )
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        for (const { read } of Object.values(carriers)) read(text)
      }),
    )
  })
})

/** Replaces one field of an object, or of an object inside it. */
function replaceField(object: object, place: number, value: unknown): void {
  const names = Object.keys(object)
  const name = names[place % names.length]
  const inside: unknown = name === undefined ? undefined : Reflect.get(object, name)
  const deeper = Math.floor(place / names.length)
  if (name === undefined) return
  if (typeof inside === 'object' && inside !== null && deeper % 4 > 0) replaceField(inside, deeper, value)
  else Reflect.set(object, name, value)
}

describe('a document for a carrier', () => {
  it('escapes texts, so that they cannot leave their attribute', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(attribute(text)).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|apos);)/)
      }),
    )
    expect(attribute('a&b<c>"d\'\u0000')).toBe('a&amp;b&lt;c&gt;&quot;d&apos;')
  })
})

describe('ending a call', () => {
  it('has a request, and answers that confirm the end', () => {
    expect(carriers.twilio.hangUp('CA1', undefined)).toEqual({
      method: 'POST',
      url: `${api}/2010-04-01/Accounts/AC1/Calls/CA1.json`,
      headers: {
        authorization: `Basic ${btoa('AC1:12345')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'Status=completed',
    })
    expect(carriers.telnyx.hangUp('v3:a/b', undefined)).toMatchObject({
      url: `${api}/v2/calls/v3%3Aa%2Fb/actions/hangup`,
      headers: { authorization: 'Bearer KEY' },
    })
    expect(twilio({ authToken: '1', accountSid: undefined, api }).hangUp('CA1', undefined)).toBeUndefined()
    const ended = { twilio: [400, '{"code":21220}'], telnyx: [422, '{"errors":[{"code":"90018"}]}'] } as const
    for (const name of ['twilio', 'telnyx'] as const) {
      const { hasEnded } = carriers[name]
      expect(hasEnded(200, '{}')).toBe(true)
      const [status, body] = ended[name]
      expect(hasEnded(status, body)).toBe(true)
      if (name === 'twilio') expect(hasEnded(404, '{"code":20404}')).toBe(true)
      for (const other of [400, 401, 404, 422, 429, 500]) expect(hasEnded(other, '{}')).toBe(false)
    }
  })
})
