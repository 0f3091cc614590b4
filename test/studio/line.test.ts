import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Host, refuseUpgrade, listen, type HttpServer } from '../../src/host/index.ts'
import { WebSocketCalls } from '../../src/lines/websocket/index.ts'
import type { Tts } from '../../src/parts/index.ts'
import { Scope } from '../../src/scope/index.ts'
import { Agent, Session } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedTts } from '../../src/testing/index.ts'
import { PATIENCE, launchChromium, troubleOf } from '../browser/chromium.ts'
import { info } from './studio.ts'

/** The page of the package, as `npm run build` has built it. */
const folder = fileURLToPath(new URL('../../dist/studio', import.meta.url))
let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(() => browser.close())

interface PhoneBoxOptions {
  /** Default: the browser that the tests share. */
  readonly browser?: Browser
  readonly secret?: string
  readonly voice?: Tts
}

/** A host that accepts calls over its WebSocket line, and a page to call from. */
class PhoneBox {
  readonly scope = new Scope('phone box')
  readonly sessions: Session[] = []
  server!: HttpServer
  page!: Page
  trouble: string[] = []

  static async open({ secret, voice, browser: used = browser }: PhoneBoxOptions = {}): Promise<PhoneBox> {
    const box = new PhoneBox()
    const { scope } = box
    const calls = new WebSocketCalls({
      scope,
      ...(secret === undefined ? {} : { secret }),
      onCall: (line, { id }) => {
        const agent = new Agent({
          name: 'Reception',
          instructions: 'You answer the phone.',
          onEnter: ({ session }) => session.say('Good morning, how can I help you?'),
        })
        const llm = new ScriptedLlm({ answers: ['We are open from eight to six.'] })
        const tts = voice ?? new ScriptedTts({ msPerCharacter: 10 })
        const session = new Session({ id, agent, models: { llm, tts }, line })
        box.sessions.push(session)
        host.add(session, { agent: agent.name, from: 'browser' })
        return session.start()
      },
    })
    const host = new Host({
      scope,
      info: { ...info, call: '/call' },
      page: folder,
      ...(secret === undefined ? {} : { secret, callToken: () => calls.token() }),
    })
    box.server = await listen({
      scope,
      app: host.app,
      port: 0,
      upgrade: (request, socket, head) => {
        const refused = host.refuses(request)
        if (refused) refuseUpgrade(socket, refused.status)
        else calls.upgrade(request, socket, head)
      },
    })
    box.page = await used.newPage()
    box.page.setDefaultTimeout(PATIENCE)
    box.trouble = troubleOf(box.page)
    await box.page.goto(box.server.url)
    return box
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.close()
    await Promise.all(this.sessions.map((session) => session.close({ closeTimeout: 1_000 })))
    await this.scope.close()
  }
}

const say = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Type instead of speaking').fill(text)
  // Before the call is connected, nothing can be sent.
  await page.getByRole('button', { name: 'Send', disabled: false }).waitFor()
  await page.keyboard.press('Enter')
}

describe('a call over the WebSocket line', () => {
  it('plays the agent, survives a reload, and ends with a hang-up', async () => {
    await using box = await PhoneBox.open()
    const { page } = box
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    const log = page.getByRole('log')
    // Pending words become heard ones once the worklet has rendered them.
    await log
      .locator('.words')
      .filter({ hasText: /^Good morning, how can I help you\?$/ })
      .waitFor()
    await log.locator('.pending').waitFor({ state: 'detached' })

    await page.reload()
    await page.getByRole('button', { name: 'Hang up' }).waitFor()
    await log.getByText('Good morning, how can I help you?').waitFor()
    await say(page, 'When are you open?')
    await log.getByText('We are open from eight to six.').waitFor()
    await log.locator('.pending').waitFor({ state: 'detached' })
    expect(box.sessions).toHaveLength(1)
    expect(box.sessions[0]!.history.items.at(-1)).toMatchObject({ text: 'We are open from eight to six.' })

    await page.getByRole('button', { name: 'Hang up' }).click()
    await page.locator('.sentence').getByText('Closed cleanly').waitFor()
    await page.getByText('The caller hung up.', { exact: true }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Call', exact: true }).waitFor()
    expect(box.trouble).toEqual([])
  })

  it('shows why a session could not start, although it ended before the page was connected', async () => {
    class NoTts extends ScriptedTts {
      override open(): never {
        throw new Error('no voice is installed')
      }
    }
    await using box = await PhoneBox.open({ voice: new NoTts() })
    const { page } = box
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.locator('.sentence').getByText('no voice is installed').waitFor()
    await page.getByText('The call could not start.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Call again' }).waitFor()
    expect(box.trouble).toEqual([])
  })

  it('works by typing if the microphone is denied', async () => {
    await using strict = await launchChromium({ allowsMicrophone: false })
    await using box = await PhoneBox.open({ browser: strict })
    const { page } = box
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByText('Microphone access denied').waitFor()
    await say(page, 'When are you open?')
    await page.getByRole('log').getByText('We are open from eight to six.').waitFor()
  })

  it('shows the real sound of both sides, and changes volume and microphone during the call', async () => {
    await using box = await PhoneBox.open({ voice: new ScriptedTts({ msPerCharacter: 100 }) })
    const { page } = box
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    const level = (name: string) => async () =>
      Number(await page.getByRole('meter', { name }).getAttribute('aria-valuenow'))
    await expect.poll(level('Level of the agent'), { timeout: 10_000 }).toBeGreaterThan(10)
    await expect.poll(level('Microphone level'), { timeout: 10_000 }).toBeGreaterThan(10)
    await page.getByRole('button', { name: 'Sound' }).click()
    await page.getByRole('slider', { name: 'Volume of the agent' }).fill('20')
    const microphone = page.getByRole('combobox', { name: 'Microphone' })
    await microphone.selectOption({ index: 1 })
    expect(await microphone.inputValue()).not.toBe('')
    await expect.poll(level('Microphone level'), { timeout: 10_000 }).toBe(0)
    await expect.poll(level('Microphone level'), { timeout: 10_000 }).toBeGreaterThan(10)
    await page.getByRole('button', { name: 'Hang up' }).click()
    await page.locator('.sentence').getByText('Closed cleanly').waitFor()
    expect(box.trouble).toEqual([])
  })

  it('gets a token if the host has a secret', async () => {
    await using box = await PhoneBox.open({ secret: 'correct horse battery staple, 32 bytes' })
    const { page } = box
    await page.getByLabel('Secret', { exact: true }).fill('correct horse battery staple, 32 bytes')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByRole('log').getByText('Good morning').waitFor()
    await page.getByRole('button', { name: 'Hang up' }).click()
    await page.locator('.sentence').getByText('Closed cleanly').waitFor()
  })
})
