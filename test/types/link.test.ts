import { describe, expect, expectTypeOf, it } from 'vitest'

import {
  Link,
  LinkError,
  wsNetwork,
  type ConnectionReport,
  type Data,
  type EndClass,
  type LinkConnection,
  type LinkContext,
  type LinkEnd,
  type LinkErrorCode,
  type LinkPhase,
  type Protocol,
} from '../../src/link/index.ts'
import type { PartContext } from '../../src/parts/index.ts'
import type { ErrorCode, Network, SocketEnd } from '../../src/scope/index.ts'

// These tests are checked by the compiler (`npm run check:types`). Their code never runs.
const types = (code: () => unknown): void => expect(code).toBeTypeOf('function')
declare const context: LinkContext
declare const connection: LinkConnection

describe('a protocol', () => {
  it('can be a plain class with three methods and a name', () => {
    class Echo {
      readonly name = 'echo'
      request() {
        return { url: 'wss://echo.example.com' }
      }
      message(data: Data, link: LinkConnection) {
        if (typeof data === 'string') link.ready()
      }
      failed(error: LinkError) {
        throw error
      }
    }
    expectTypeOf<Echo>().toExtend<Protocol>()
    expectTypeOf<Omit<Echo, 'failed'>>().not.toExtend<Protocol>()
  })

  it('classifies ends with known words', () =>
    types(() => {
      const classify: Protocol['classify'] = ({ code }: SocketEnd) => (code === 1008 ? 'fatal' : undefined)
      // @ts-expect-error no such class
      const wrong: Protocol['classify'] = () => 'retry'
      connection.end('expired', 'token')
      // @ts-expect-error only the link itself was asked to end
      connection.end('asked')
      expectTypeOf<EndClass>().toEqualTypeOf<'asked' | 'idle' | 'expired' | 'dropped' | 'refused' | 'fatal'>()
      return [classify, wrong]
    }))

  it('has known options only', () => {
    types(() => {
      const rest = {} as Pick<Protocol, 'name' | 'request' | 'message' | 'failed'>
      const good: Protocol = { ...rest, rollover: { order: 'new-first' }, timing: { open: 5_000 } }
      // @ts-expect-error no such order
      const order: Protocol = { ...rest, rollover: { order: 'both' } }
      // @ts-expect-error misspelt
      const timing: Protocol = { ...rest, timing: { opening: 5_000 } }
      // @ts-expect-error an option that is not set is left out
      const unset: Protocol = { ...rest, closePatience: undefined }
      return [good, order, timing, unset]
    })
    expectTypeOf<ReturnType<Protocol['request']>>().not.toHaveProperty('name')
  })
})

describe('a link', () => {
  it('is opened in the context of a part, and sends text or bytes', () =>
    types(async (protocol = {} as Protocol) => {
      expectTypeOf<PartContext>().toExtend<LinkContext>()
      const link = await Link.open(context, protocol)
      expectTypeOf(link).toEqualTypeOf<Link>()
      link.send('{}')
      link.sendAudio(new Uint8Array(320))
      // @ts-expect-error a protocol writes its own JSON
      link.send({ type: 'close' })
      // @ts-expect-error a link is made by `Link.open`, which waits until it is ready
      return new Link(context, protocol)
    }))

  it('shows a status that cannot be changed', () =>
    types((link = {} as Link) => {
      expectTypeOf(link.status.phase).toEqualTypeOf<LinkPhase>()
      expectTypeOf(link.status.last).toEqualTypeOf<LinkEnd | undefined>()
      // @ts-expect-error read-only
      link.status.retries = 0
      // @ts-expect-error no such phase
      return link.status.phase === 'reconnecting'
    }))

  it('fails with a link error, whose code is one of six', () =>
    types((error = {} as LinkError) => {
      expectTypeOf(error.code).toEqualTypeOf<LinkErrorCode>()
      expectTypeOf<LinkErrorCode>().toExtend<ErrorCode>()
      expectTypeOf(error.end?.class).toEqualTypeOf<EndClass | undefined>()
      // @ts-expect-error misspelt
      if (error.code === 'LINK_TIMED_OUT') return undefined
      // @ts-expect-error the code of another room
      return new LinkError('stt', 'CANCELLED', undefined)
    }))

  it('reports how each connection ended', () => {
    expectTypeOf<ConnectionReport['how']>().toEqualTypeOf<'acknowledged' | 'closed' | 'aborted' | 'dropped'>()
    expectTypeOf(wsNetwork).toEqualTypeOf<Network>()
  })
})
