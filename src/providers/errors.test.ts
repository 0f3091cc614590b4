import { afterEach, describe, expect, it, vi } from 'vitest'
import { apiKey } from './api-key.ts'
import { MissingKeyError, ProviderError } from './errors.ts'

describe('an API key', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('comes from the option, or from the environment', () => {
    vi.stubEnv('EXAMPLE_API_KEY', ' from the environment\n')
    expect(apiKey('example', 'from the option', 'EXAMPLE_API_KEY')).toBe('from the option')
    expect(apiKey('example', undefined, 'EXAMPLE_API_KEY')).toBe('from the environment')
  })

  it.each(['', ' '])('that is %j counts as missing, and the error names the variable', (empty) => {
    vi.stubEnv('EXAMPLE_API_KEY', empty)
    const message =
      'example needs an API key. Pass the apiKey option or set the environment variable EXAMPLE_API_KEY'
    expect(() => apiKey('example', undefined, 'EXAMPLE_API_KEY')).toThrow(message)
    expect(() => apiKey('example', '', 'EXAMPLE_API_KEY')).toThrow(MissingKeyError)
    expect(new MissingKeyError('example', 'EXAMPLE_API_KEY').code).toBe('MISSING_KEY')
  })
})

describe('a provider error', () => {
  it.each<[status: number | undefined, retryable: boolean]>([
    [undefined, false],
    [400, false],
    [401, false],
    [404, false],
    [408, true],
    [429, true],
    [500, true],
    [503, true],
  ])('with status %s has retryable: %s', (status, retryable) => {
    const error = new ProviderError('example', 'no', { status })
    expect(error).toMatchObject({ code: 'PROVIDER_FAILED', retryable })
    expect(error.status).toBe(status)
  })

  it('says what to do, and never repeats a key', () => {
    const message = 'Incorrect API key provided: sk-abcdef123456'
    expect(new ProviderError('example', message, { status: 401 }).message).toBe(
      'example answered with status 401: not authorised. Check the API key',
    )
    expect(new ProviderError('example', message, { status: 400 }).message).not.toContain('abcdef')
    expect(new ProviderError('example', 'Authorization: Bearer abcdef.ghi', {}).message).not.toContain(
      'abcdef',
    )
    expect(new ProviderError('example', 'x'.repeat(9_999)).message.length).toBeLessThan(400)
    expect(new ProviderError('example', "no model 'gpt-9-2031-01-01'", { status: 404 }).message).toBe(
      "example answered with status 404: no model 'gpt-9-2031-01-01'. Check the model name and the URL",
    )
  })
})
