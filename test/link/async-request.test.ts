import { describe, expect, it } from 'vitest'
import type { LinkRequest } from '../../src/link/index.ts'
import { MissingKeyError } from '../../src/providers/errors.ts'
import { withLink } from './fixture.ts'

const REQUEST: LinkRequest = { url: 'wss://vendor.example' }

describe('a request that takes time', () => {
  it('[LK5] is awaited before each dial', () =>
    withLink(async ({ world, open, peers, context }) => {
      const { clock } = world
      const link = await open({ request: () => clock.elapse(300, 'token').then(() => REQUEST) })
      expect(clock.now()).toBeGreaterThanOrEqual(300)
      peers[0]?.drop()
      await clock.elapse(2_000)
      expect(link.status).toMatchObject({ phase: 'ready', generation: 2 })
      await context.scope.close()
    }))

  it('[LK5] is retried if it rejects, and fails the link in the end', () =>
    withLink(async ({ world, open, context }) => {
      let failures = 1
      const flaky = async (): Promise<LinkRequest> => {
        if (failures-- > 0) throw new Error('the identity service is down')
        return REQUEST
      }
      expect((await open({ request: flaky })).status).toMatchObject({ phase: 'ready', retries: 1 })
      failures = Infinity
      await expect(open({ request: flaky })).rejects.toMatchObject({
        code: 'LINK_FAILED',
        end: { class: 'refused', reason: 'no request could be made: the identity service is down' },
      })
      expect(world.network.dials).toBe(1)
      await context.scope.close()
    }))

  it('[LK13] fails the link at once if it rejects because of a mistake', () =>
    withLink(async ({ world, open }) => {
      const error = new MissingKeyError('vendor', 'VENDOR_KEY')
      await expect(open({ request: () => Promise.reject(error) })).rejects.toMatchObject({ cause: error })
      expect(world.clock.now()).toBe(0)
    }))

  it('[LK5] counts towards the time limit of the attempt', () =>
    withLink(async ({ world, open, context }) => {
      let calls = 0
      const request = (): Promise<LinkRequest> =>
        calls++ === 0 ? new Promise<never>(() => {}) : Promise.resolve(REQUEST)
      const link = await open({ request })
      expect(link.status).toMatchObject({ phase: 'ready', retries: 1 })
      expect(world.clock.now()).toBeGreaterThanOrEqual(5_000)
      await context.scope.close()
    }))

  it('[LK1] is not dialled if the link closes or the attempt times out meanwhile', () =>
    withLink(async ({ world, open, context }) => {
      const opening = open({ request: () => world.clock.elapse(7_000, 'token').then(() => REQUEST) })
      const rejected = expect(opening).rejects.toMatchObject({ code: 'SCOPE_CLOSED' })
      await world.clock.elapse(7_500)
      expect(world.network.dials).toBe(0)
      await context.scope.close()
      await rejected
      await world.clock.elapse(10_000)
      expect(world.network.dials).toBe(0)
    }))
})
