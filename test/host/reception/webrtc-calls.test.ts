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
    const started = await fetch(`${process.url}/webrtc/start`, {
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
    client.leaves()
    expect(await session.closed).toMatchObject({ reason: 'caller-hung-up', clean: true })
    await client.close()
    await process.end()
    expect(await host.journal.find(id)).toMatchObject({ state: 'closed', reason: 'caller-hung-up' })
  })

  it('[WR8] finds nothing at a host whose agent file does not want such calls', async () => {
    await using host = await TestHost.open()
    const process = await host.start()
    const { status } = await fetch(`${process.url}/webrtc/start`, { method: 'POST', headers: page })
    expect(status).toBe(404)
  })

  it('[WR8] [HO3] is refused over HTTP while the host drains', async () => {
    await using host = await TestHost.open()
    const file = { name: 'Bright Dental', agent: new Agent({ instructions: '' }), models, webrtc: {} }
    const process = await host.start({ file })
    process.reception.entrance.drain()
    const started = await fetch(`${process.url}/webrtc/start`, { method: 'POST', headers: page })
    expect([started.status, await started.json()]).toMatchObject([503, { code: 'CLOSING' }])
  })
})
