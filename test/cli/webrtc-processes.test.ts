import { describe, expect, it } from 'vitest'
import { WeriftClient, localOrigin } from '../lines/werift-client.ts'
import { productionFolder, startHost } from './production.ts'

/** An agent that prints which process serves a call. */
const agent = `
import { writeSync } from 'node:fs'
import { Agent } from 'endwell'
import { ScriptedLlm, ScriptedTts } from 'endwell/testing'
export default {
  name: 'Bright Dental',
  webrtc: {},
  agent: () =>
    new Agent({
      name: 'desk',
      instructions: '',
      onEnter: ({ session }) => {
        writeSync(1, JSON.stringify({ pid: process.pid, serves: session.id }) + '\\n')
        session.say('Good morning!')
      },
    }),
  models: () => ({ llm: new ScriptedLlm(), tts: new ScriptedTts({ msPerCharacter: 1 }) }),
}`

describe('a host of two processes', { timeout: 120_000 }, () => {
  it('[WR9] takes calls over WebRTC whichever process their requests reach, as long as one has room', async () => {
    const folder = productionFolder({ 'agent.js': agent })
    const program = startHost(
      folder,
      '--workers 2 --max-calls 2 --drain-timeout 0s --close-timeout 2s'.split(' '),
    )
    const url = await program.url()
    const clients: WeriftClient[] = []
    /** Calls, with an address that the client makes from the name of its session. Each of its requests is a connection of its own. */
    const call = async (): Promise<number | undefined> => {
      const headers = { origin: localOrigin, 'content-type': 'application/json', connection: 'close' }
      const started = await fetch(`${url}/start`, { method: 'POST', body: '{"transport":"webrtc"}', headers })
      const { sessionId } = (await started.json()) as { sessionId: string }
      const client = new WeriftClient({ url: `${url}/sessions/${sessionId}/api/offer` })
      clients.push(client)
      const { status, body } = await client.offers()
      expect([status, body['code'], client.patched?.status]).toEqual([200, undefined, 200])
      await client.until(() => client.all('bot-ready').length > 0)
      const [id = ''] = client.pcId!.split('.')
      const line = (): Record<string, unknown> | undefined =>
        program.lines.find(({ serves }) => serves === id)
      await program.until(() => line() !== undefined)
      return line()!['pid'] as number
    }
    const pids = [await call(), await call()]
    expect(new Set(pids).size).toBe(2)
    // Both name their connections, and either process passes such requests on to the other.
    const candidates = [{ candidate: '', sdp_mid: '0', sdp_mline_index: 0 }]
    for (const client of clients)
      for (let i = 0; i < 3; i++)
        expect((await client.sends('PATCH', { pc_id: client.pcId, candidates })).status).toBe(200)
    const again = { type: 'offer', sdp: 'v=0', restart_pc: true }
    for (const client of clients)
      expect((await client.sends('POST', { ...again, pc_id: client.pcId })).status).toBe(409)
    expect((await clients[0]!.sends('PATCH', { pc_id: 'unknown.w9', candidates })).status).toBe(404)
    const third = new WeriftClient({ url: `${url}/api/offer` })
    expect((await third.offers()).body).toMatchObject({ code: 'BUSY' })
    await third.close()
    for (const client of clients) await client.close()
    program.signal('SIGTERM')
    expect(await program.ended()).toBe(0)
  })
})
