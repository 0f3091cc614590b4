import { afterEach, describe, expect, it, vi } from 'vitest'
import { apiKey } from './api-key.ts'
import { MissingKeyError, ProviderError } from './errors.ts'

describe('an API key', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('is the one given, or the one in the environment', () => {
    vi.stubEnv('EXAMPLE_API_KEY', ' from the environment\n')
    expect(apiKey('example', 'given', 'EXAMPLE_API_KEY')).toBe('given')
    expect(apiKey('example', undefined, 'EXAMPLE_API_KEY')).toBe('from the environment')
  })

  it.each(['', ' '])('is missed with the name of the variable, also when it is %j', (empty) => {
    vi.stubEnv('EXAMPLE_API_KEY', empty)
    const message =
      'example needs an API key: pass it as the option apiKey, or set the environment variable EXAMPLE_API_KEY'
    expect(() => apiKey('example', undefined, 'EXAMPLE_API_KEY')).toThrow(message)
    expect(() => apiKey('example', '', 'EXAMPLE_API_KEY')).toThrow(MissingKeyError)
    expect(new MissingKeyError('example', 'EXAMPLE_API_KEY').code).toBe('MISSING_KEY')
  })
})

describe('the failure of a provider', () => {
  it.each<[status: number | undefined, retryable: boolean]>([
    [undefined, false],
    [400, false],
    [401, false],
    [404, false],
    [408, true],
    [429, true],
    [500, true],
    [503, true],
  ])('with status %s can be tried again: %s', (status, retryable) => {
    const error = new ProviderError('example', 'no', { status })
    expect(error).toMatchObject({ code: 'PROVIDER_FAILED', retryable })
    expect(error.status).toBe(status)
  })

  it('says what to do, and repeats no key', () => {
    const said = 'Incorrect API key provided: sk-abcdef123456'
    expect(new ProviderError('example', said, { status: 401 }).message).toBe(
      'example answered with status 401: not authorised. Check its API key',
    )
    expect(new ProviderError('example', said, { status: 400 }).message).not.toContain('abcdef')
    expect(new ProviderError('example', 'Authorization: Bearer abcdef.ghi', {}).message).not.toContain(
      'abcdef',
    )
    expect(new ProviderError('example', 'x'.repeat(9_999)).message.length).toBeLessThan(400)
    expect(new ProviderError('example', "no model 'gpt-9-2031-01-01'", { status: 404 }).message).toBe(
      "example answered with status 404: no model 'gpt-9-2031-01-01'. Check the name of the model and the URL",
    )
  })
})
