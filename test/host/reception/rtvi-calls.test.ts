import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import type { CallInfo } from '../../../src/host/agent-file.ts'
import { Agent, type Session } from '../../../src/session/index.ts'
import { ScriptedLlm, ScriptedTts } from '../../../src/testing/index.ts'
import type { RtviTestClient } from '../../lines/rtvi-client.ts'
import { Corridor } from './corridor.ts'
import { Pages } from './pages.ts'
import { TestHost, type TestProcess } from './process.ts'

const secret = 'a secret of sixteen'

interface Started {
  readonly status: number
  readonly body: Readonly<Record<string, string>>
}

/** Starts a call over HTTP, as a page on this machine. */
function start(
  { reception: { port } }: TestProcess,
  headers: Readonly<Record<string, string>> = {},
  data?: object,
): Promise<Started> {
  return new Promise((resolve, reject) => {
    const page = { origin: 'http://localhost:3000', connection: 'close' }
    // Not `fetch`, which sets the host itself.
    const asked = request({
      host: '127.0.0.1',
      port,
      path: '/start',
      method: 'POST',
      headers: { ...page, ...headers },
    })
    asked.on('error', reject)
    asked.on('response', (response) => {
      const status = response.statusCode ?? 0
      text(response).then((body) => resolve({ status, body: JSON.parse(body) as Started['body'] }), reject)
    })
    asked.end(data && JSON.stringify(data))
  })
}

/** A client connects, and hears the agent. */
async function connect(pages: Pages, process: TestProcess, { body }: Started): Promise<RtviTestClient> {
  const client = pages.connect(process.reception.port, body['token']!)
  await client.until(() => client.heard.length > 0 || client.end !== undefined)
  expect(client.end).toBeUndefined()
  return client
}

function onlySession({ reception }: TestProcess): Session {
  const [id = ''] = reception.calls
  return reception.session(id)!
}

describe('an RTVI client that calls a host', () => {
  it('[RV12] gets a session, an entry in the journal and a report, like any other caller', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const infos: CallInfo[] = []
    const agent = (info: CallInfo): Agent => {
      infos.push(info)
      return new Agent({ name: 'desk', instructions: '', onEnter: ({ session }) => session.say('Hello!') })
    }
    const models = () => ({ llm: new ScriptedLlm(), tts: new ScriptedTts() })
    const process = await host.start({ file: { name: 'Bright Dental', agent, models } })
    const started = await start(process, {}, { customer: 7, cart: { items: 3 }, body: { vip: true } })
    const client = await connect(pages, process, started)
    const session = onlySession(process)
    expect(infos.at(-1)).toEqual({
      id: session.id,
      line: 'rtvi',
      direction: 'inbound',
      parameters: { customer: '7', vip: 'true' },
    })
    expect(process.reception.entrance.occupied).toBe(1)
    expect(await host.journal.find(session.id)).toMatchObject({ state: 'live', line: 'rtvi' })
    const listed = await fetch(`${process.url}/api/sessions`, { headers: { connection: 'close' } })
    expect(await listed.json()).toMatchObject({
      sessions: [{ id: session.id, from: 'RTVI client over WebSocket' }],
    })
    client.leaves()
    expect(await session.closed).toMatchObject({ reason: 'caller-hung-up', clean: true })
    await process.end()
    expect(await host.journal.find(session.id)).toMatchObject({ state: 'closed', reason: 'caller-hung-up' })
  })

  it('[RV12] needs the secret of the host to start a call, whatever its origin, and is given the public address', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const process = await host.start({ secret, phone: { publicUrl: 'https://agent.example.com' } })
    const origin = 'https://shop.example'
    expect(await start(process, { origin })).toMatchObject({ status: 401, body: { code: 'UNAUTHORISED' } })
    const wrong = { origin, authorization: 'Bearer another secret' }
    for (let i = 0; i < 10; i++) expect((await start(process, wrong)).status).toBe(401)
    expect(await start(process, wrong)).toMatchObject({ status: 429, body: { code: 'TOO_MANY_ATTEMPTS' } })
    const authorization = `Bearer ${secret}`
    const strange = await start(process, { authorization, host: 'evil.example' })
    expect(strange).toMatchObject({ status: 403, body: { code: 'UNKNOWN_HOST' } })
    expect(strange.body['info']).toContain('unknown host name')
    const started = await start(process, { authorization, origin, host: 'agent.example.com' })
    expect(started.body['wsUrl']).toBe('wss://agent.example.com/rtvi')
    const client = await connect(pages, process, started)
    client.leaves()
    await onlySession(process).closed
  })

  it('[RV12] without a secret is given the address that it has used, since only this machine may call', async () => {
    await using host = await TestHost.open()
    const process = await host.start({ phone: { publicUrl: 'https://agent.example.com' } })
    const { port } = process.reception
    expect((await start(process)).body['wsUrl']).toBe(`ws://127.0.0.1:${port}/rtvi`)
    expect((await start(process, { origin: 'https://shop.example' })).status).toBe(403)
    expect((await start(process, { 'x-forwarded-for': '10.0.0.7' })).status).toBe(403)
  })

  it('[RV12] [HO3] is refused over HTTP while the host drains', async () => {
    await using host = await TestHost.open()
    const process = await host.start()
    process.reception.entrance.drain()
    expect(await start(process)).toMatchObject({ status: 503, body: { code: 'CLOSING' } })
  })
})

describe('a token for an RTVI call', () => {
  it('[RV12] is good in every process of the host, and for one call in all of them together', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const first = await host.start()
    const second = await host.start()
    const started = await start(first)
    const client = await connect(pages, second, started)
    const session = onlySession(second)
    const thief = pages.connect(first.reception.port, started.body['token']!)
    await thief.until(() => thief.end !== undefined)
    expect(thief.all('error')).toEqual([{ error: 'The agent could not take the call.', fatal: true }])
    expect([first.reception.size, second.reception.size, session.state]).toEqual([0, 1, 'live'])
    client.leaves()
    await session.closed
  })

  it('[RV12] [HO40] leads to a process that has room, if the one that it was used at has none', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const neighbours = new Corridor()
    const full = await host.start({ hasRoom: () => false, neighbours })
    expect((await start(full)).body).toMatchObject({ code: 'BUSY' })
    const other = await host.start()
    neighbours.to = other
    const client = await connect(pages, full, await start(full))
    expect([full.reception.size, other.reception.size]).toEqual([0, 1])
    client.leaves()
    await onlySession(other).closed
  })
})

describe('an RTVI call whose process is gone', () => {
  it('[RV12] is written as one that cannot go on elsewhere', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const process = await host.start()
    await connect(pages, process, await start(process))
    const { id } = onlySession(process)
    await process.die(host)
    const record = await host.journal.find(id)
    // Other hosts close such a call at once [HO5].
    expect([record?.line, record?.resume]).toEqual(['rtvi', undefined])
  })

  it('[RV12] [HO38] is ended, and its client is told so, when its process has lost it to another', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const process = await host.start()
    const client = await connect(pages, process, await start(process))
    const session = onlySession(process)
    process.reception.letGo(session.id)
    expect(await session.closed).toMatchObject({ reason: 'host-lost' })
    await client.until(() => client.end !== undefined)
    expect(client.all('error')).toEqual([{ error: 'The call has ended.', fatal: true }])
  })
})
