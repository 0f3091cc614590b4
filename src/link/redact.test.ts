import { afterEach, describe, expect, it, vi } from 'vitest'
import { credentialsOf, redact, redactData } from './redact.ts'

describe('the credentials of a request', () => {
  it('[LK12] are found in headers, URLs and subprotocols, by their names', () => {
    const found = credentialsOf({
      url: 'wss://user:password1@vendor.example/?model=nova-3&api_key=query-key&access_token=a%2Fb%2Bcdef',
      headers: {
        Authorization: 'Bearer header-key',
        'x-goog-api-key': 'goog-key',
        cookie: 'session=cookie-key; theme=dark',
        'x-application': 'BrightDental',
      },
      protocols: ['realtime', 'openai-insecure-api-key.proto-key-1'],
    })
    expect(found).toEqual(
      expect.arrayContaining([
        'password1',
        'query-key',
        'a/b+cdef',
        'a%2Fb%2Bcdef',
        'header-key',
        'goog-key',
        'cookie-key',
        'proto-key-1',
      ]),
    )
    for (const word of ['Bearer', 'nova-3', 'BrightDental', 'realtime']) expect(found).not.toContain(word)
  })

  it('[LK12] are removed from text and from bytes, and nothing else is', () => {
    const credentials = credentialsOf({
      url: 'wss://vendor.example',
      headers: { authorization: 'Token abc"def' },
    })
    expect(redactData('{"text":"abc\\"def, grüße"}', credentials)).toBe('{"text":"***, grüße"}')
    const bytes = Buffer.from('grüße abc"def')
    expect(String(redactData(bytes, credentials))).toBe('grüße ***')
    const other = Buffer.from('grüße')
    expect(redactData(other, credentials)).toBe(other)
  })
})

describe('a text of a vendor', () => {
  afterEach(() => vi.unstubAllEnvs())

  it.each([
    'Incorrect API key provided: sk-proj-abc123def456',
    'invalid header Authorization: Bearer abcdef.ghijkl',
    'invalid header Authorization: Basic dXNlcjpwYXNzd29yZDE=',
    'the key AIzaSyA1234567890abcdefghijk is not valid',
    'expired: ya29.a0AfH6SMBx1234567890',
    'unknown key sk_car_1234567890abcdef',
    'bad token: eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc',
    'no such key 0123456789abcdef0123456789abcdef01234567',
    'api_key=abcdef123 is wrong',
    'auth_tokens/abcdef1234567890 has expired',
    'the ephemeral key ek_abcdef1234567890 has expired',
  ])('[LK12] loses a key in a well-known shape: %s', (text) => {
    expect(redact(text)).toContain('***')
    expect(redact(text)).not.toMatch(/abc|1234|dXNl/)
  })

  it.each([
    "no model 'gpt-9-2031-01-01'",
    'the token expired',
    'Deadline expired before operation could complete.',
    'rate limit of 20000 tokens per minute reached',
    'request 2f1c6e0a-7c1d-4a52-9d2e-1f6b0c8f7a11 failed',
  ])('stays as it is without a key: %s', (text) => {
    expect(redact(text)).toBe(text)
  })

  it('[LK12] loses the credentials of its request, and values of variables that hold keys', () => {
    vi.stubEnv('EXAMPLE_API_KEY', 'plain words')
    vi.stubEnv('EXAMPLE_NAME', 'a name')
    expect(redact('your key "my own key", plain words, a name', ['my own key'])).toBe(
      'your key "***", ***, a name',
    )
  })

  it('[LK12] is cut, so that a long one costs little', () => {
    expect(redact('eyJ-'.repeat(1_000_000)).length).toBe(10_000)
  })
})
