import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { bytesFromSamples, samplesFromBytes } from '../../src/audio/index.ts'
import type { SessionDetails, SessionSummary } from '../../src/host/index.ts'
import type { SessionReport } from '../../src/session/index.ts'
import { compiled, installedPackage } from '../compiled.ts'
import { Program } from '../program.ts'
import { PATIENCE, launchChromium, troubleOf, type ChromiumOptions } from './chromium.ts'
import { earsScript } from './ears-script.ts'
import type { Room } from './room.ts'

/** How far a close may overrun its deadline: a busy machine can suspend the process for a while. */
export const STANDSTILL = 1_000

/** The demo, started like `npm start`, and a browser to call it. One per test file. */
export class Demo {
  readonly browser: Browser
  readonly url: string
  readonly #program: Program
  readonly #ears: string

  private constructor(program: Program, url: string, browser: Browser, ears: string) {
    this.#program = program
    this.url = url
    this.browser = browser
    this.#ears = ears
  }

  static start(options: ChromiumOptions = {}): Promise<Demo> {
    const args = ['dev', compiled('clinic-agent'), '--json', '--port', '0']
    return Demo.#with(Program.command(args, {}, installedPackage()), options)
  }

  /** The demo, which also takes calls over WebRTC. */
  static startWithWebRtc(): Promise<Demo> {
    const agent = 'test/fixtures/agents/clients.ts'
    return Demo.#with(Program.command(['dev', agent, '--model', 'local', '--json', '--port', '0']), {})
  }

  static async #with(program: Program, options: ChromiumOptions): Promise<Demo> {
    const [browser, url, ears] = await Promise.all([launchChromium(options), program.url(), earsScript()])
    return new Demo(program, url, browser, ears)
  }

  /** Opens the demo in a new page. With `ears`, its sound is recorded and its microphone can be replaced. */
  async open(options: DemoPageOptions = {}): Promise<DemoPage> {
    const { ears = false, room, url = this.url, ...browserOptions } = options
    const context = await this.browser.newContext({
      permissions: ['clipboard-read', 'clipboard-write', 'microphone'],
      // The page's policy would block the recorder.
      bypassCSP: ears,
      // Drawing without a GPU takes a quarter of the CPU time of a call.
      reducedMotion: 'reduce',
      ...browserOptions,
    })
    if (ears) await context.addInitScript(this.#ears)
    if (room) await context.addInitScript(`ears.becomeMicrophone(${JSON.stringify(room)})`)
    context.setDefaultTimeout(PATIENCE)
    const page = new DemoPage(this, await context.newPage())
    await page.goto(url)
    return page
  }

  async sessions(): Promise<readonly SessionSummary[]> {
    return (await this.#get<{ sessions: SessionSummary[] }>('/api/sessions')).sessions
  }

  /** The summary of a session. Throws unless it is listed once and all sessions are closed. */
  async onlyClosed(id: string): Promise<SessionSummary> {
    const sessions = await this.sessions()
    const wanted = sessions.filter((session) => session.id === id)
    const open = sessions.filter(({ state }) => state !== 'closed')
    if (wanted.length === 1 && open.length === 0) return wanted[0]!
    throw new Error(`found ${wanted.length} sessions with id ${id}, and ${open.length} that are not closed`)
  }

  /** Resolves once the session is closed. */
  async report(id: string): Promise<SessionReport> {
    // The event stream ends when the session does.
    await (await fetch(`${this.url}/api/sessions/${id}/events`)).text()
    return (await this.#get<SessionDetails>(`/api/sessions/${id}`)).report!
  }

  async faults(): Promise<readonly { readonly name: string; readonly on: boolean }[]> {
    return (await this.#get<{ faults: { name: string; on: boolean }[] }>('/api/info')).faults
  }

  /** Turns these faults on, and all others off. */
  async setFaults(names: readonly string[]): Promise<void> {
    const headers = { 'content-type': 'application/json', origin: this.url }
    await fetch(`${this.url}/api/faults`, { method: 'PUT', headers, body: JSON.stringify({ names }) })
  }

  /** The exit code that tells the truth: 0 only if every session closed cleanly (HO10). */
  async truth(): Promise<number> {
    return (await this.sessions()).every(({ clean }) => clean !== false) ? 0 : 1
  }

  /** Stops both. Returns the exit code of the server. */
  async stop(): Promise<number> {
    await this.browser.close()
    this.#program.signal('SIGINT')
    return await this.#program.ended()
  }

  async #get<T>(path: string): Promise<T> {
    return (await (await fetch(this.url + path)).json()) as T
  }
}

export interface DemoPageOptions extends BrowserContextOptions {
  readonly ears?: boolean
  readonly room?: Room
  /** Another address of the server. */
  readonly url?: string
}

/** The page of the demo, and what a caller does with it. */
export class DemoPage {
  readonly demo: Demo
  readonly page: Page
  readonly trouble: string[]
  #last: string | undefined

  constructor(demo: Demo, page: Page) {
    this.demo = demo
    this.page = page
    this.trouble = troubleOf(page)
  }

  get log(): Locator {
    return this.page.getByRole('log')
  }

  /** The sentence on how the session ended. */
  get sentence(): Locator {
    return this.page.locator('.sentence')
  }

  async goto(url: string): Promise<void> {
    await this.page.goto(url)
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name })
  }

  /** Makes a call, and waits for the greeting. */
  async call(): Promise<void> {
    await this.button(/^Call/).click()
    const greeted = this.log.getByText('How can I help you?')
    await greeted.waitFor().catch(async (cause: Error) => {
      throw new Error(`the call was not answered: ${await this.page.innerText('main')}`, { cause })
    })
    const ticket = await this.run<string>(`sessionStorage.getItem('endwell call')`)
    this.#last = (JSON.parse(ticket) as { readonly call: string }).call
  }

  /** The id of the last call's session. */
  get session(): string {
    return this.#last!
  }

  async type(text: string): Promise<void> {
    await this.page.getByLabel('Type instead of speaking').fill(text)
    await this.button('Send').click()
  }

  async hangUp(): Promise<void> {
    await this.button('Hang up').click()
  }

  async report(): Promise<SessionReport> {
    return await this.demo.report(this.session)
  }

  // ── sound ──

  run<T = void>(script: string): Promise<T> {
    return this.page.evaluate(script) as Promise<T>
  }

  /** Speaks into the microphone. Returns the time at which the speech starts, in milliseconds of the page's audio clock. */
  async say(samples: Int16Array): Promise<number> {
    const base64 = Buffer.from(bytesFromSamples(samples)).toString('base64')
    return 1000 * (await this.run<number>(`ears.say('${base64}')`))
  }

  /** Says something, and waits until the answer was heard. */
  async ask(text: string, samples: Int16Array): Promise<void> {
    const said = this.log.locator('.entry.user .words')
    const answers = this.log.locator('.entry.agent')
    const [asked, answered] = [await said.count(), await answers.count()]
    await this.run('ears.silent(500)')
    await this.say(samples)
    await said.nth(asked).getByText(text, { exact: true }).waitFor()
    await answers.nth(answered).waitFor()
    await this.log.locator('.pending').waitFor({ state: 'detached' })
  }

  /** Everything the page has played, at 16 kHz. */
  async heard(): Promise<Int16Array> {
    return samplesFromBytes(Buffer.from(await this.run<string>('ears.heard()'), 'base64'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close()
  }
}
