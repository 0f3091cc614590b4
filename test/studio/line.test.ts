import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Host, refuseUpgrade, serve, type HttpServer } from '../../src/host/index.ts'
import { WebSocketCalls } from '../../src/lines/websocket/index.ts'
import type { Tts } from '../../src/parts/index.ts'
import { Scope } from '../../src/scope/index.ts'
import { Agent, Session } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedTts } from '../../src/testing/index.ts'
import { launchChromium, troubleOf, type ChromiumOptions } from '../browser/chromium.ts'
import { buildPage } from './build-page.ts'
import { info } from './studio.ts'

let built: Awaited<ReturnType<typeof buildPage>>

beforeAll(async () => {
  built = await buildPage({ calls: 'real' })
})

afterAll(() => built.remove())

interface PhoneboxOptions extends ChromiumOptions {
  readonly secret?: string
  readonly voice?: Tts
}

/** A host that takes calls over its own line, and a browser that makes them. */
class Phonebox {
  readonly scope = new Scope('phone box')
  readonly sessions: Session[] = []
  server!: HttpServer
  browser!: Browser
  page!: Page
  trouble: string[] = []

  static async open({ secret, voice, ...options }: PhoneboxOptions = {}): Promise<Phonebox> {
    const box = new Phonebox()
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
      page: built.folder,
      ...(secret === undefined ? {} : { secret, callToken: () => calls.token() }),
    })
    box.server = await serve({
      scope,
      app: host.app,
      port: 0,
      upgrade: (request, socket, head) => {
        const refused = host.refuses(request)
        if (refused) refuseUpgrade(socket, refused.status)
        else calls.upgrade(request, socket, head)
      },
    })
    box.browser = await launchChromium(options)
    box.page = await box.browser.newPage()
    box.trouble = troubleOf(box.page)
    await box.page.goto(box.server.url)
    return box
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close()
    await Promise.all(this.sessions.map((session) => session.close({ closeTimeout: 1_000 })))
    await this.scope.close()
  }
}

const say = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Type instead of speaking').fill(text)
  await page.keyboard.press('Enter')
}

describe('a call over the line', () => {
  it('is heard, and confirmed by the page, goes on after a reload, and ends', async () => {
    await using box = await Phonebox.open()
    const { page } = box
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    const log = page.getByRole('log')
    // Heard words are not lighter any more: the worklet has rendered them.
    await log
      .locator('.words')
      .filter({ hasText: /^Good morning, how can I help you\?$/ })
      .waitFor()
    await log.locator('.coming').waitFor({ state: 'detached' })

    await page.reload()
    await page.getByRole('button', { name: 'Hang up' }).waitFor()
    await log.getByText('Good morning, how can I help you?').waitFor()
    await say(page, 'When are you open?')
    await log.getByText('We are open from eight to six.').waitFor()
    await log.locator('.coming').waitFor({ state: 'detached' })
    expect(box.sessions).toHaveLength(1)
    expect(box.sessions[0]!.history.items.at(-1)).toMatchObject({ text: 'We are open from eight to six.' })

    await page.getByRole('button', { name: 'Hang up' }).click()
    await page.locator('.sentence').getByText('Ended well').waitFor()
    await page.getByText('The caller hung up.', { exact: true }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Call', exact: true }).waitFor()
    expect(box.trouble).toEqual([])
  })

  it('that could not start shows why, though it was over before anybody was connected', async () => {
    class NoTts extends ScriptedTts {
      override open(): never {
        throw new Error('no voice is installed')
      }
    }
    await using box = await Phonebox.open({ voice: new NoTts() })
    const { page } = box
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.locator('.sentence').getByText('Error: no voice is installed').waitFor()
    await page.getByText('It could not start.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Call again' }).waitFor()
    expect(box.trouble).toEqual([])
  })

  it('goes on by typing if the microphone is denied', async () => {
    await using box = await Phonebox.open({ allowsMicrophone: false })
    const { page } = box
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByText('The microphone is not allowed').waitFor()
    await say(page, 'When are you open?')
    await page.getByRole('log').getByText('We are open from eight to six.').waitFor()
  })

  it('is let in with a token if the host has a secret', async () => {
    await using box = await Phonebox.open({ secret: 'correct horse battery staple, 32 bytes' })
    const { page } = box
    await page.getByLabel('Secret', { exact: true }).fill('correct horse battery staple, 32 bytes')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByRole('log').getByText('Good morning').waitFor()
    await page.getByRole('button', { name: 'Hang up' }).click()
    await page.locator('.sentence').getByText('Ended well').waitFor()
  })
})
