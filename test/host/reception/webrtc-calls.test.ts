import { describe, expect, it } from 'vitest'
import type { CallInfo } from '../../../src/host/agent-file.ts'
import { Agent } from '../../../src/session/index.ts'
import { ScriptedLlm, ScriptedTts } from '../../../src/testing/index.ts'
import { WeriftClient } from '../../lines/werift-client.ts'
import { TestHost } from './process.ts'

const models = (): { llm: ScriptedLlm; tts: ScriptedTts } => ({
  llm: new ScriptedLlm(),
  tts: new ScriptedTts(),
})

const page = { origin: 'http://localhost:3000', connection: 'close' }

describe('a WebRTC client that calls a host', () => {
  it('[WR8] gets a session, an entry in the journal and a report, like any other caller', async () => {
    await using host = await TestHost.open()
    const infos: CallInfo[] = []
    const agent = (info: CallInfo): Agent => {
      infos.push(info)
      return new Agent({ name: 'desk', instructions: '', onEnter: ({ session }) => session.say('Hello!') })
    }
    const process = await host.start({ file: { name: 'Bright Dental', agent, models, webrtc: {} } })
    const started = await fetch(`${process.url}/start`, {
      method: 'POST',
      headers: page,
      body: JSON.stringify({ customer: 7 }),
    })
    const { webrtcRequestParams } = (await started.json()) as { webrtcRequestParams: { endpoint: string } }
    const client = new WeriftClient({ url: webrtcRequestParams.endpoint })
    expect((await client.offers()).status).toBe(200)
    await client.until(() => client.audible > 50 && client.all('bot-ready').length === 1)
    const [id = ''] = process.reception.calls
    const session = process.reception.session(id)!
    expect(infos.at(-1)).toEqual({ id, line: 'webrtc', direction: 'inbound', parameters: { customer: '7' } })
    expect([id, process.reception.entrance.occupied]).toEqual([client.pcId, 1])
    expect(await host.journal.find(id)).toMatchObject({ state: 'live', line: 'webrtc' })
    const listed = await fetch(`${process.url}/api/sessions`, { headers: { connection: 'close' } })
    expect(await listed.json()).toMatchObject({ sessions: [{ id, from: 'RTVI client over WebRTC' }] })
    client.leaves()
    expect(await session.closed).toMatchObject({ reason: 'caller-hung-up', clean: true })
    await client.close()
    await process.end()
    expect(await host.journal.find(id)).toMatchObject({ state: 'closed', reason: 'caller-hung-up' })
  })

  it('[WR8] [RV14] is refused at a host whose agent file does not want such calls', async () => {
    await using host = await TestHost.open()
    const process = await host.start()
    const start = (data: object): Promise<Response> =>
      fetch(`${process.url}/start`, { method: 'POST', headers: page, body: JSON.stringify(data) })
    const started = await start({ transport: 'webrtc' })
    expect([started.status, await started.json()]).toMatchObject([400, { code: 'TRANSPORT_REFUSED' }])
    expect((await fetch(`${process.url}/api/offer`, { method: 'POST', headers: page })).ok).toBe(false)
    // Nothing but WebSocket is left, so that clients need not name it.
    expect(await (await start({})).json()).toHaveProperty('wsUrl')
  })

  it('[RV14] starts calls over both transports at one address, and over WebRTC if it names none', async () => {
    await using host = await TestHost.open()
    const file = { name: 'Bright Dental', agent: new Agent({ instructions: '' }), models, webrtc: {} }
    const process = await host.start({ file })
    const start = async (path: string, data?: object): Promise<object> => {
      const body = data && JSON.stringify(data)
      const started = await fetch(process.url + path, {
        method: 'POST',
        headers: page,
        ...(body && { body }),
      })
      return (await started.json()) as object
    }
    for (const data of [undefined, {}, { transport: 'webrtc' }, { enableDefaultIceServers: true }])
      expect(Object.keys(await start('/start', data))).toEqual(['sessionId', 'webrtcRequestParams'])
    expect(await start('/start', { transport: 'websocket' })).toHaveProperty('wsUrl')
    expect(await start('/start', { transport: 'daily' })).toMatchObject({ code: 'TRANSPORT_REFUSED' })
    expect(await start('/start', { createDailyRoom: true })).toMatchObject({ code: 'TRANSPORT_REFUSED' })
    expect(await start('/connect')).toHaveProperty('wsUrl')
  })

  it('[RV14] connects with the id of its call alone, once, and the agent does not see what chose the transport', async () => {
    await using host = await TestHost.open()
    const infos: CallInfo[] = []
    const agent = (info: CallInfo): Agent => {
      infos.push(info)
      return new Agent({ instructions: '' })
    }
    const secret = 'a secret of sixteen'
    const process = await host.start({ file: { name: 'Bright Dental', agent, models, webrtc: {} }, secret })
    const started = await fetch(`${process.url}/start`, {
      method: 'POST',
      headers: { ...page, authorization: `Bearer ${secret}` },
      body: JSON.stringify({ transport: 'webrtc', enableDefaultIceServers: true, body: { customer: 7 } }),
    })
    const { sessionId } = (await started.json()) as { sessionId: string }
    const offers = (id: string): WeriftClient =>
      new WeriftClient({ url: `${process.url}/sessions/${id}/api/offer` })
    const stranger = offers('unknown')
    expect(await stranger.offers()).toMatchObject({ status: 404, body: { code: 'CALL_GONE' } })
    await stranger.close()
    const client = offers(sessionId)
    expect((await client.offers()).status).toBe(200)
    await client.until(() => client.all('bot-ready').length === 1)
    expect(infos.at(-1)).toEqual({
      id: sessionId,
      line: 'webrtc',
      direction: 'inbound',
      parameters: { customer: '7' },
    })
    const thief = offers(sessionId)
    expect(await thief.offers()).toMatchObject({ status: 401, body: { code: 'TOKEN_USED' } })
    await thief.close()
    client.leaves()
    await process.reception.session(sessionId)!.closed
    await client.close()
  })

  it("[LN17] needs no token if it is the host's own page, and its user has logged in", async () => {
    await using host = await TestHost.open()
    const secret = 'a secret of sixteen'
    const file = { name: 'Bright Dental', agent: new Agent({ instructions: '' }), models, webrtc: {} }
    const process = await host.start({ file, secret })
    const { url } = process
    const own = { origin: url, connection: 'close' }
    const post = (path: string, headers: Record<string, string>, body = {}): Promise<Response> =>
      fetch(url + path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const login = await post('/api/login', own, { secret })
    const [cookie = ''] = login.headers.get('set-cookie')!.split(';')
    expect((await post('/start', own)).status).toBe(401)
    expect((await post('/start', { ...page, cookie })).status).toBe(401)
    expect((await post('/start', { ...own, cookie })).status).toBe(200)
    const info = await fetch(`${url}/api/info`, { headers: { ...own, cookie } })
    expect(await info.json()).toMatchObject({ webrtc: '/start' })
  })

  it('[WR8] [HO3] is refused over HTTP while the host drains', async () => {
    await using host = await TestHost.open()
    const file = { name: 'Bright Dental', agent: new Agent({ instructions: '' }), models, webrtc: {} }
    const process = await host.start({ file })
    process.reception.entrance.drain()
    const started = await fetch(`${process.url}/start`, { method: 'POST', headers: page })
    expect([started.status, await started.json()]).toMatchObject([503, { code: 'CLOSING' }])
  })
})
