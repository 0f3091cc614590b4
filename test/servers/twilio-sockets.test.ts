import { get, request as ask, type IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Peer } from '../../src/testing/index.ts'
import { LoopbackServer, TwilioCarrier } from '../../src/testing/servers/index.ts'

/** Starts an application on a real port. */
async function listen(): Promise<LoopbackServer> {
  return LoopbackServer.listen({
    http: (_, response) =>
      response.end(`<Response><Connect><Stream url="${server.url}/stream"/></Connect></Response>`),
    serve: () => ({ closeReply: 0 }),
  })
}

let server: LoopbackServer

function rest(carrier: TwilioCarrier, sid: string, body: string, token = carrier.authToken) {
  return new Promise<{ status: number; code?: number }>((resolve, reject) => {
    const url = `${carrier.url}/2010-04-01/Accounts/${carrier.accountSid}/Calls/${sid}.json`
    const auth = `${carrier.accountSid}:${token}`
    const sent = ask(url, { method: 'POST', auth, agent: false }, (response: IncomingMessage) => {
      let text = ''
      response.on('data', (piece: Buffer) => (text += piece.toString()))
      response.once('end', () =>
        resolve({ status: response.statusCode!, ...(JSON.parse(text) as { code?: number }) }),
      )
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

describe('the carrier over real sockets', () => {
  it('ends a call over REST once, and refuses wrong tokens and unknown calls', async () => {
    server = await listen()
    await using carrier = await TwilioCarrier.listen()
    const call = carrier.call(server.url.replace('ws', 'http'))
    await call.until(() => call.events.some(({ type }) => type === 'started'))
    expect(await rest(carrier, call.sid, 'Status=completed', 'wrong')).toMatchObject({
      status: 401,
      code: 20_003,
    })
    expect(await rest(carrier, 'CA0', 'Status=completed')).toMatchObject({ status: 404, code: 20_404 })
    expect(call.over).toBe(false)
    expect(await rest(carrier, call.sid, 'Status=completed')).toMatchObject({
      sid: call.sid,
      status: 'completed',
    })
    await call.gone()
    expect(call.endedBy).toBe('application-by-rest')
    expect(await rest(carrier, call.sid, 'Status=completed')).toMatchObject({ status: 400, code: 21_220 })
    expect(carrier.rest.requests.map(({ status }) => status)).toEqual([401, 404, 200, 400])
    await server.whenIdle()
    await server.close()
  })

  it('has a REST API that can be down, slow or refusing', async () => {
    await using carrier = await TwilioCarrier.listen()
    carrier.rest.manners = { down: true }
    await expect(rest(carrier, 'CA0', '')).rejects.toMatchObject({ code: 'ECONNRESET' })
    carrier.rest.manners = { delay: 5, status: 503 }
    expect(await rest(carrier, 'CA0', '')).toMatchObject({ status: 503 })
    carrier.rest.manners = { delay: 'never' }
    const hung = get(`${carrier.url}/`, { agent: false })
    const failed = new Promise((resolve) => hung.once('error', resolve))
    await carrier.until(() => carrier.open === 0)
    hung.destroy()
    await failed
  })

  it.each(['freeze', 'halfClose', 'drop'] as const)('can %s its connection', async (what) => {
    let ended = 0
    let peer: Peer | undefined
    server = await LoopbackServer.listen({
      http: (_, response) =>
        response.end(`<Response><Connect><Stream url="${server.url}/stream"/></Connect></Response>`),
      serve: () => ({ opened: (each) => (peer = each), ended: () => ended++ }),
    })
    await using carrier = new TwilioCarrier()
    const call = carrier.call(server.url.replace('ws', 'http'))
    await call.until(() => call.events.some(({ type }) => type === 'started'))
    call[what]()
    if (what === 'freeze') {
      peer!.close()
      expect(call.open).toBe(1)
      call.abort()
    }
    await server.until(() => ended === 1)
    if (what === 'drop') call.hangUp()
    await call.gone()
    await server.close()
  })

  it('fails a call whose webhook cannot be reached', async () => {
    await using carrier = new TwilioCarrier()
    const call = carrier.call('http://127.0.0.1:9/answer')
    await call.gone()
    expect(call.events[1]).toMatchObject({
      type: 'refused',
      status: 0,
      why: expect.stringContaining('ECONNREFUSED'),
    })
  })
})
