import { expect, it } from 'vitest'
import { inVirtualTime } from '../../testing/index.ts'
import { askCarrier } from './ask-carrier.ts'
import { limits } from './limits.ts'

const request = { method: 'GET', url: 'https://api.twilio.com/', headers: {} } as const

it('[DI1] an answer of the carrier is read up to a limit, and the rest is not asked for', () =>
  inVirtualTime(async ({ clock }) => {
    let sent = 0
    let cancelled = false
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 65_536
        controller.enqueue(new Uint8Array(65_536).fill(32))
      },
      cancel: () => void (cancelled = true),
    })
    const answer = await askCarrier({ clock, fetch: () => Promise.resolve(new Response(body)) }, request)
    expect(answer).toEqual({ status: 200, passing: false, body: ' '.repeat(limits.restAnswer) })
    expect(sent).toBeLessThan(2 * limits.restAnswer)
    expect(cancelled).toBe(true)
  }))

it('[DI1] an answer whose body never ends is given up in time', () =>
  inVirtualTime(async ({ clock }) => {
    const answering: typeof fetch = (_, { signal } = {}) => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => signal?.addEventListener('abort', () => controller.error(signal.reason)),
      })
      return Promise.resolve(new Response(body))
    }
    const answer = await askCarrier({ clock, fetch: answering }, request)
    expect([answer.status, answer.problem, clock.now()]).toEqual([
      undefined,
      'does not answer',
      limits.request,
    ])
  }))
