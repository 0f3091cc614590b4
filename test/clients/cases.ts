import assert from 'node:assert/strict'
import type { CloseReason, SessionReport } from '../../src/session/index.ts'
import { notUnderstood } from '../../src/providers/local/index.ts'
import { plain, transcribe } from '../browser/transcribe.ts'
import type { ClientName, ClientPage } from './client-page.ts'
import { notice } from '../fixtures/agents/notice.ts'
import type { Stage } from './stage.ts'

const GREETING = 'Bright Dental, good morning! How can I help you?'
const HOURS = 'We are open from eight to six, Monday to Friday.'

/** Milliseconds of sound that a client may have when it is interrupted, and delays of a busy machine. */
const AHEAD = 200
const BUSY = 400

export interface ClientCase {
  /** What happens to the client. */
  readonly name: string
  /** Why the session must have ended: one of these. */
  readonly reasons: readonly CloseReason[]
  /** Calls, and has the call end. */
  run(page: ClientPage, stage: Stage): Promise<void>
  /** Checks what else the report must say. */
  check?(report: SessionReport, page: ClientPage): Promise<void> | void
  /** Whether it runs before the others, with the machine to itself: its sound must be understood. */
  readonly alone?: boolean
  /** The clients that have the case. Default: all. */
  readonly only?: readonly ClientName[]
  /** The clients that have the case in a short run. Default: the first one. */
  readonly inShort?: readonly ClientName[]
}

/**
 * A browser that is busy may end a connection without a close frame, and over WebRTC a tab that is closed says nothing at all. Then
 * the session cannot know better.
 */
const goneWithoutWord: readonly CloseReason[] = ['caller-hung-up', 'caller-lost']

/**
 * How the quickstarts of Pipecat and the READMEs of its packages call a bot, at the addresses of Pipecat's own servers. The pages
 * themselves use `startBotAndConnect`, and name their transport.
 */
const quickstarts: readonly {
  readonly name: string
  readonly client: ClientName
  readonly script: string
}[] = [
  { name: 'wsUrl', client: 'web', script: `await client.connect({ wsUrl: 'SOCKET/ws-client' })` },
  { name: 'ws_url', client: 'web', script: `await client.connect({ ws_url: 'SOCKET/rtvi' })` },
  {
    name: 'an endpoint for WebSocket',
    client: 'web',
    script: `await client.connect({ endpoint: 'HOST/connect' })`,
  },
  {
    name: 'startBotAndConnect without a transport',
    client: 'webrtc',
    script: `await client.startBotAndConnect({ endpoint: 'HOST/start' })`,
  },
  {
    name: 'startBot, and connect by the session alone',
    client: 'webrtc',
    script: `const requestData = { createDailyRoom: false, enableDefaultIceServers: true }
        const { sessionId } = await client.startBot({ endpoint: 'HOST/start', requestData })
        await client.connect({ sessionId })`,
  },
  {
    name: 'webrtcRequestParams',
    client: 'webrtc',
    script: `await client.connect({ webrtcRequestParams: { endpoint: 'HOST/api/offer' } })`,
  },
  {
    name: 'connectionUrl',
    client: 'webrtc',
    script: `await client.connect({ connection_url: 'HOST/api/offer' })`,
  },
]

export const cases: readonly ClientCase[] = [
  {
    name: 'talks, and hangs up',
    alone: true,
    reasons: ['caller-hung-up'],
    inShort: ['web', 'webrtc'],
    async run(page) {
      await page.calls()
      await page.shows('How can I help you?')
      await page.run('ears.silent(300)')
      await page.says('what are your opening hours')
      await page.shows('what are your opening hours')
      await page.shows(HOURS)
      await page.run('ears.silent(300)')
      await checkSound(await page.heard(), [GREETING, HOURS])
      await page.hangsUp()
      await page.isDisconnected()
    },
    check({ transcript }) {
      assert.deepEqual(textsOf(transcript), [GREETING, 'what are your opening hours', HOURS])
    },
  },
  ...quickstarts.map(({ name, client, script }): ClientCase => ({
    name: `calls as in a quickstart: ${name}`,
    only: [client],
    alone: true,
    inShort: [],
    reasons: ['caller-hung-up'],
    async run(page, stage) {
      const { url } = page.network
      const connect = script.replaceAll('HOST', url).replaceAll('SOCKET', url.replace(/^http/, 'ws'))
      await page.run(`void (async (client) => { ${connect} })(document.client)`)
      await page.shows('Bright Dental')
      const [call] = await stage.unended()
      page.call = call!.id
      await page.hangsUp()
      await page.isDisconnected()
    },
  })),
  {
    name: 'is interrupted',
    reasons: ['caller-hung-up'],
    async run(page) {
      await page.run(
        `document.client.on('userStartedSpeaking', () => ears.clears.push(ears.context.currentTime))`,
      )
      await page.willSay('what are your opening hours', 700)
      const transport = page.client === 'webrtc' ? 'webrtc' : 'websocket'
      const start = {
        endpoint: `${page.network.url}/start`,
        requestData: { transport, body: { wants: 'notice' } },
      }
      await page.run(`void document.client.startBotAndConnect(${JSON.stringify(start)})`)
      await page.run('ears.cleared()')
      await page.run('ears.silent(450)')
      const { asked, silent } = await page.run<{ asked: number; silent: number }>('ears.interrupted()')
      assert(
        silent - asked <= AHEAD + BUSY,
        `the agent was heard for ${silent - asked} ms after the caller spoke`,
      )
      await page.hangsUp()
    },
    async check({ transcript }, page) {
      const [first] = transcript
      const isInterrupted = first?.type === 'message' && first.interrupted
      assert(isInterrupted, `the agent was not interrupted: ${textsOf(transcript).join(' · ')}`)
      const [heard = ''] = textsOf(transcript)
      assert(heard !== '' && heard !== notice && notice.startsWith(heard), heard)
      // The page shows as heard what the report says.
      const shown = (await page.words()).join(' ')
      assert(shown.startsWith(heard.slice(0, 10)) && !shown.includes('hospital'), shown)
    },
  },
  {
    name: 'is hung up on',
    reasons: ['agent-hung-up'],
    inShort: ['web', 'webrtc', 'react'],
    async run(page) {
      await page.calls()
      await page.types('goodbye')
      await page.isDisconnected()
      // Over WebSocket, an error is the only way to have a client disconnect.
      if (page.client !== 'webrtc') assert.equal(await page.problem(), 'The call has ended.')
      assert.match((await page.words()).join(' '), /Thank you for calling Bright Dental\. ?Goodbye!$/)
    },
  },
  {
    name: 'asks the agent to leave',
    reasons: ['caller-hung-up'],
    async run(page) {
      await page.calls()
      await page.run('document.client.disconnectBot()')
      await page.isDisconnected()
    },
  },
  {
    name: 'loses its network',
    reasons: ['caller-lost'],
    async run(page) {
      await page.calls()
      page.network.down()
      await page.isDisconnected()
    },
  },
  {
    name: 'is on a network that goes silent',
    reasons: ['caller-lost'],
    async run(page) {
      await page.calls()
      page.network.freeze()
    },
  },
  {
    name: 'tries to come back to a call that was lost, and is refused',
    only: ['webrtc'],
    inShort: [],
    reasons: ['caller-lost'],
    async run(page) {
      await page.calls()
      page.network.freezeUdp()
      await page.isDisconnected()
    },
  },
  {
    name: 'closes its tab',
    reasons: goneWithoutWord,
    inShort: ['web', 'webrtc'],
    async run(page) {
      await page.calls()
      await page.closesTab()
    },
  },
  {
    name: 'reloads its page, and calls again',
    reasons: ['caller-hung-up'],
    async run(page, stage) {
      await page.calls()
      const first = page.call
      await page.reloads()
      await page.calls()
      assert.notEqual(page.call, first)
      await page.hangsUp()
      const { reason } = await stage.report(first)
      assert(goneWithoutWord.includes(reason), `the first call ended as ${reason}`)
    },
  },
]

/** Transcribes what a client has played. On a busy machine its sound has gaps, so that it need not be understood entirely. */
async function checkSound(samples: Int16Array, said: readonly string[]): Promise<void> {
  const found = await transcribe(samples, [...said, 'You owe us forty euros.', 'Pardon me?'])
  const understood = found.filter((each) => each !== notUnderstood)
  assert(understood.length > 0, 'nothing of what the page has played is understood')
  for (const each of understood) assert(plain(said.join(' ')).includes(each), `the page has played '${each}'`)
}

const textsOf = (items: SessionReport['transcript']): string[] =>
  items.flatMap((item) => (item.type === 'message' ? [item.text] : []))
