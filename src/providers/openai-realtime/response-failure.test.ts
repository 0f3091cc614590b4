import { describe, expect, it } from 'vitest'
import { responseFailure } from './response-failure.ts'

describe('a failed response of OpenAI', () => {
  it.each([
    [{ type: 'server_error', message: 'Sorry.' }, 'openai failed: server_error: Sorry.', true],
    [{ code: 'rate_limit_exceeded' }, 'openai failed: rate_limit_exceeded.', true],
    [
      { type: 'insufficient_quota', code: 'insufficient_quota', message: 'You exceeded your current quota.' },
      'openai failed: insufficient_quota: You exceeded your current quota.',
      false,
    ],
    [{ type: 'invalid_request_error', message: 'No such voice' }, 'No such voice', false],
    [{ type: 'server_error', code: 'insufficient_quota' }, 'openai failed: insufficient_quota', false],
    [{}, 'openai failed: it gave no reason', false],
    [undefined, 'openai failed: it gave no reason', false],
  ])('%j says why, and whether it may be retried', (error, message, retryable) => {
    const failure = responseFailure('openai', error)
    expect(failure.message).toContain(message)
    expect(failure.retryable).toBe(retryable)
  })
})
