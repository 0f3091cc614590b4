import { describe, expect, it } from 'vitest'
import { CallLog } from '../../../src/host/reception/call-log.ts'
import { systemClock } from '../../../src/scope/index.ts'
import type { Session } from '../../../src/session/index.ts'
import { TwilioCarrier, type TwilioCall } from '../../../src/testing/servers/index.ts'
import { TcpProxy } from '../../lines/tcp-proxy.ts'
import { Pages } from './pages.ts'
import { TestHost, type TestProcess } from './process.ts'

const account = { authToken: 'a token of the account' }

const hears = (call: TwilioCall): Promise<void> => {
  const heard = call.heardBytes
  return call.until(() => call.heardBytes > heard + 1_600 || call.over)
}

/** Until then, sound of a process that has let go of the call may still be on its way. */
const streamEnds = (call: TwilioCall): Promise<void> =>
  call.until(() => call.events.some(({ type }) => type === 'stream-ended'))

const signed = async (): Promise<{ carrier: TwilioCarrier; phone: { authToken: string; api: string } }> => {
  const carrier = await TwilioCarrier.listen(account)
  return { carrier, phone: { ...account, api: carrier.url } }
}

/** A call whose process was killed, and whose carrier reaches another process from now on. */
async function lostCall(
  host: TestHost,
  first: TestProcess,
  front: TcpProxy,
  carrier: TwilioCarrier,
  next: TestProcess,
): Promise<TwilioCall> {
  const call = carrier.call(`http://127.0.0.1:${front.port}/phone/answer`)
  await hears(call)
  expect(call.over).toBe(false)
  front.lead(next.reception.port)
  await first.die(host)
  await streamEnds(call)
  return call
}

describe('a process that lets go of a call', () => {
  it('[HO38] cuts off the page without a goodbye, so that it comes back, even to the same process', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const { reception } = await host.start()
    const caller = pages.dial(reception.port)
    await caller.until(() => caller.heard.length > 0)
    const { call } = caller.hello!
    const before = reception.session(call)!
    await host.journal.orphan('h1', 'w1')
    reception.letGo(call)
    await before.closed
    const next = (): Session | undefined => {
      const session = reception.session(call)
      return session === before ? undefined : session
    }
    // The page goes on playing what it has.
    await caller.until(() => caller.over || next() !== undefined)
    const session = next()!
    const backAt = systemClock.now()
    await caller.until(() => caller.over || caller.audibleAfter(backAt) > 100)
    expect(caller.over).toBe(false)
    caller.wire.hangUp()
    await session.closed
  })

  it('[HO38] takes a phone call back if its carrier asks there', async () => {
    await using host = await TestHost.open()
    const { carrier, phone } = await signed()
    await using _ = carrier
    const { reception } = await host.start({ phone })
    const call = carrier.call(`${reception.url}/phone/answer`)
    await hears(call)
    const before = reception.session(call.sid)!
    await host.journal.orphan('h1', 'w1')
    reception.letGo(call.sid)
    await before.closed
    await streamEnds(call)
    await hears(call)
    expect(call.over).toBe(false)
    expect(carrier.rest.requests).toEqual([])
    call.hangUp()
    await call.gone()
    await reception.session(call.sid)?.closed
  })
})

describe('a process that cannot take over a call', () => {
  it('[HO38] does not hang it up at the carrier: another process has it', async () => {
    await using host = await TestHost.open()
    const { carrier, phone } = await signed()
    await using _ = carrier
    const first = await host.start({ phone })
    let tries = 0
    const second = await host.start({
      phone,
      take: (take) => (++tries < 3 ? Promise.resolve(undefined) : take()),
    })
    await using front = await TcpProxy.listen(first.reception.port)
    const call = await lostCall(host, first, front, carrier, second)
    await hears(call)
    expect(call.over).toBe(false)
    expect(tries).toBe(3)
    expect(carrier.rest.requests).toEqual([])
    call.hangUp()
    await call.gone()
    await second.reception.session(call.sid)?.closed
  })

  it('[HO38] does not hang it up at the carrier while the journal is away', async () => {
    await using host = await TestHost.open()
    const { carrier, phone } = await signed()
    await using _ = carrier
    const first = await host.start({ phone })
    const second = await host.start({ phone })
    let tries = 0
    second.log.open = async (call, take) => {
      if (++tries < 3) throw new Error('neither the journal nor the disk can be written')
      return await CallLog.prototype.open.call(second.log, call, take)
    }
    await using front = await TcpProxy.listen(first.reception.port)
    const call = await lostCall(host, first, front, carrier, second)
    await hears(call)
    expect(call.over).toBe(false)
    expect(tries).toBe(3)
    expect(carrier.rest.requests).toEqual([])
    call.hangUp()
    await call.gone()
    await second.reception.session(call.sid)?.closed
  })

  it('[HO38] does not hang it up at the carrier if it has to let go of everything meanwhile', async () => {
    await using host = await TestHost.open()
    const { carrier, phone } = await signed()
    await using _ = carrier
    const first = await host.start({ phone })
    let asked = (): void => {}
    const taking = new Promise<void>((resolve) => (asked = resolve))
    let release = (): void => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const second = await host.start({
      phone,
      take: async (take) => {
        asked()
        await released
        return await take()
      },
    })
    await using front = await TcpProxy.listen(first.reception.port)
    const call = await lostCall(host, first, front, carrier, second)
    await taking
    second.reception.letGoAll()
    const closing = second.reception.close()
    release()
    await closing
    expect(carrier.rest.requests).toEqual([])
    call.hangUp()
    await call.gone()
  })

  it('[HO36] cuts off a page that came back, so that it tries again', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const first = await host.start()
    let tries = 0
    const second = await host.start({
      take: (take) => (++tries === 1 ? Promise.reject(new Error('the journal is away')) : take()),
    })
    await using front = await TcpProxy.listen(first.reception.port)
    const caller = pages.dial(front.port)
    await caller.until(() => caller.heard.length > 0)
    await first.die(host)
    front.lead(second.reception.port)
    front.cut()
    const { call } = caller.hello!
    await caller.until(() => caller.over || second.reception.session(call) !== undefined)
    expect(caller.over).toBe(false)
    expect(tries).toBe(2)
    await second.reception.session(call)!.close()
  })
})
