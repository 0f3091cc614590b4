import { describe, expect, it } from 'vitest'
import { Scope } from '../../scope/index.ts'
import { inVirtualTime } from '../../testing/index.ts'
import type { IceServers } from '../webrtc-options.ts'
import { limits } from './limits.ts'
import { listIceServers } from './list-ice-servers.ts'

/** The list, what was logged, and how long that took. */
const list = async (servers: IceServers): Promise<{ list: unknown; logged: string[]; took: number }> => {
  let result: { list: unknown; logged: string[]; took: number } | undefined
  await inVirtualTime(async ({ clock }) => {
    const scope = new Scope<string>('calls', { clock })
    const logged: string[] = []
    const logger = { debug() {}, info() {}, warn() {}, error: (_: object, text: string) => logged.push(text) }
    const made = await listIceServers(servers, scope, logger)
    result = { list: made, logged, took: clock.now() }
    expect((await scope.close()).clean).toBe(true)
  })
  return result!
}

describe('a list of ICE servers', () => {
  const urls = ['turn:turn.example.com']

  it('[WR3] is as given, or as a function makes it, of which a thread can be sent what it needs', async () => {
    expect(await list([{ urls: urls[0]! }])).toMatchObject({ list: [{ urls: urls[0] }], logged: [] })
    const made = { urls, username: 'u', credential: 'c', refresh: () => {} }
    expect(await list(async () => [made])).toMatchObject({
      list: [{ urls, username: 'u', credential: 'c' }],
      logged: [],
    })
  })

  it.each<[string, () => unknown, number]>([
    ['throws', () => JSON.parse('no'), 0],
    ['rejects', () => Promise.reject(new Error('no')), 0],
    ['never answers', () => new Promise(() => {}), limits.listing],
    ['returns no list', () => 'turn:turn.example.com', 0],
    ['returns no addresses', () => [null], 0],
  ])('[WR3] is empty if the function %s, which is logged', async (_, servers, took) => {
    expect(await list(servers as () => [])).toEqual({
      list: [],
      logged: ['the ICE servers could not be listed'],
      took,
    })
  })
})
