import { createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import {
  ChatServer,
  DeepgramServer,
  ElevenLabsServer,
  LoopbackServer,
  OpenAIRealtimeServer,
} from '../../src/testing/servers/index.ts'
import { freePort } from '../free-port.ts'
import { productionFolder } from './production.ts'
import { runCommand } from './run-command.ts'

const KEY = 'sk-right-0123456789abcdef'
const WRONG = 'sk-wrong-0123456789abcdef'

/** The vendors on this machine. OpenAI knows another key, and Cartesia accepts connections and says nothing. */
async function vendors() {
  const chat = new ChatServer({ key: KEY })
  chat.answers(['ok'])
  const deepgram = new DeepgramServer({ key: KEY })
  const elevenlabs = new ElevenLabsServer({ key: KEY })
  const openai = new OpenAIRealtimeServer({ apiKey: KEY })
  const server = await LoopbackServer.listen({
    http: (request, response) => chat.http(request, response),
    serve: (request) => {
      if (request.url.includes('/listen')) return deepgram.serve(request)
      return (request.url.includes('/text-to-speech') ? elevenlabs : openai).serve(request)
    },
  })
  onTestFinished(() => server.close())
  const held = new Set<Socket>()
  const silent = createServer((socket) => void held.add(socket))
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of held) socket.destroy()
    silent.close()
  })
  const { port } = silent.address() as AddressInfo
  return {
    chat,
    server,
    deepgram,
    elevenlabs,
    openai,
    silent: `ws://127.0.0.1:${port}`,
    closed: await freePort(),
  }
}

/** An agent file with these models, and an agent with a voice of its own. */
function agentFile(ws: string, models: string, agent = ''): string {
  const http = ws.replace('ws://', 'http://')
  return `
import { Agent } from 'endwell'
import { fallbackLlm, fallbackRealtime } from 'endwell/fallback'
import { AiSdkLlm } from 'endwell/providers/ai-sdk'
import { CartesiaTts } from 'endwell/providers/cartesia'
import { DeepgramStt } from 'endwell/providers/deepgram'
import { ElevenLabsTts } from 'endwell/providers/elevenlabs'
import { OpenAIRealtime } from 'endwell/providers/openai'
import { createOpenAI } from ${JSON.stringify(import.meta.resolve('@ai-sdk/openai'))}
const chat = (apiKey) => createOpenAI({ apiKey, baseURL: '${http}/v1' }).chat('gpt-5.4-mini')
export default {
  name: 'Bright Dental',
  agent: () => new Agent({ name: 'desk', instructions: '', ${agent} }),
  models: () => ({ ${models} }),
}`
}

async function dial(folder: string, env: Record<string, string>, args: readonly string[] = []) {
  const ended = await runCommand(['doctor', 'agent.js', '--port', '0', '--dial', ...args], {
    cwd: folder,
    env,
  })
  expect(ended.out + ended.errors).not.toMatch(/sk-(right|wrong)|\n {4}at /)
  return ended
}

describe('endwell doctor --dial', { timeout: 120_000 }, () => {
  it('[HO43] says how fast every vendor answers, and leaves no connection behind', async () => {
    const { server, chat, deepgram, elevenlabs, openai } = await vendors()
    const models = `
      llm: fallbackLlm([new AiSdkLlm(chat('${KEY}'), { name: 'first' }), new AiSdkLlm(chat('${KEY}'), { name: 'second' })]),
      stt: new DeepgramStt({ url: '${server.url}', endsTurns: true }),
      tts: new ElevenLabsTts({ url: '${server.url}', voice: 'x' })`
    chat.answers(['ok'])
    const folder = productionFolder({
      'agent.js': agentFile(
        server.url,
        models,
        `tts: new ElevenLabsTts({ url: '${server.url}', voice: 'y' })`,
      ),
    })
    const { code, lines } = await dial(folder, { DEEPGRAM_API_KEY: KEY, ELEVENLABS_API_KEY: KEY }, ['--json'])
    const { ok, checks } = lines[0] as unknown as { ok: boolean; checks: Finding[] }
    const dialled = checks.filter(({ name }) => name.startsWith('dial'))
    expect(
      dialled.map(({ name, state, text }) => `${name} ${state} ${text.replace(/\d+ ms/, 'N ms')}`),
    ).toEqual([
      'dial llm ok first: answered in N ms',
      'dial llm ok second: answered in N ms',
      'dial stt ok deepgram: answered in N ms',
      'dial tts ok elevenlabs: answered in N ms',
      "dial tts ok elevenlabs of agent 'desk': answered in N ms",
    ])
    for (const { took } of dialled) expect(took).toBeGreaterThanOrEqual(0)
    expect([code, ok]).toEqual([0, true])
    await server.until(() => server.open === 0)
    expect([deepgram.open.length, elevenlabs.open.length, openai.open.length]).toEqual([0, 0, 0])
    expect(chat.requests.map(({ body }) => body.messages)).toEqual(
      [1, 2].map(() => [expect.objectContaining({ role: 'user' })]),
    )
  })

  it('[HO43] says which key was refused, who hangs and who is not there, and exits with 1', async () => {
    const { server, silent, closed } = await vendors()
    const models = `
      llm: new AiSdkLlm(chat('${WRONG}'), { name: 'chat' }),
      stt: new DeepgramStt({ url: '${server.url}', endsTurns: true }),
      tts: new CartesiaTts({ url: '${silent}', voice: 'x' })`
    const folder = productionFolder({
      'agent.js': agentFile(
        server.url,
        models,
        `tts: new ElevenLabsTts({ url: 'ws://127.0.0.1:${closed}', voice: 'x' })`,
      ),
    })
    const { code, out } = await dial(folder, {
      DEEPGRAM_API_KEY: WRONG,
      ELEVENLABS_API_KEY: KEY,
      CARTESIA_API_KEY: KEY,
      OPENAI_API_KEY: WRONG,
    })
    for (const line of [
      /^✗ dial llm +chat: refuses the key \(HTTP 401\): check OPENAI_API_KEY$/m,
      /^✗ dial stt +deepgram: refuses the key \(HTTP 401\): check DEEPGRAM_API_KEY$/m,
      /^✗ dial tts +cartesia: no answer within 5 s: check the network, the proxy and the vendor's status page$/m,
      /^✗ dial tts +elevenlabs of agent 'desk': nothing listens there \(ECONNREFUSED\): check the address and the firewall$/m,
    ])
      expect(out).toMatch(line)
    expect(code).toBe(1)
  })

  it('[HO43] dials every realtime model of a fallback', async () => {
    const { server, silent } = await vendors()
    const models = `realtime: fallbackRealtime([
      new OpenAIRealtime({ name: 'one', url: '${server.url}', apiKey: '${KEY}' }),
      new OpenAIRealtime({ name: 'two', url: '${server.url}', apiKey: '${WRONG}' }),
      new OpenAIRealtime({ name: 'three', url: '${silent}', apiKey: '${KEY}' }),
    ])`
    const folder = productionFolder({ 'agent.js': agentFile(server.url, models) })
    const { code, out } = await dial(folder, {})
    expect(out).toMatch(/^✓ dial realtime +one: answered in \d+ ms$/m)
    expect(out).toMatch(
      /^✗ dial realtime +two: refuses the key \(HTTP 401\): check the key that the agent file passes$/m,
    )
    expect(out).toMatch(/^✗ dial realtime +three: no answer within 5 s/m)
    expect(code).toBe(1)
    await server.until(() => server.open === 0)
  })
})
