import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import type { SessionDetails, SessionSummary } from '../../src/host/index.ts'
import { systemClock } from '../../src/scope/index.ts'
import type { SessionReport } from '../../src/session/index.ts'
import { buildPages } from '../browser/build-pages.ts'
import { PageServer, launchChromium } from '../browser/chromium.ts'
import { earsScript } from '../browser/ears-script.ts'
import { Program } from '../program.ts'
import { ClientPage, clientNames, type ClientName } from './client-page.ts'
import { ClientNetwork } from './network.ts'

/** Milliseconds in which a session must have ended, whatever has happened to its client. */
const END_WITHIN = 10_000

/** `endwell dev` with the demo, a server with the pages of the clients, and a browser. */
export class Stage {
  readonly host: Program
  readonly url: string
  readonly #browser: Browser
  readonly #pages: PageServer
  readonly #ears: string

  private constructor(host: Program, url: string, browser: Browser, pages: PageServer, ears: string) {
    this.host = host
    this.url = url
    this.#browser = browser
    this.#pages = pages
    this.#ears = ears
  }

  static async open(maxCalls: number): Promise<Stage> {
    buildOnce()
    const limit = ['--max-calls', `${maxCalls}`]
    const host = Program.command([
      'dev',
      'test/fixtures/agents/clients.ts',
      '--model',
      'local',
      '--json',
      '--port',
      '0',
      ...limit,
    ])
    const [url, browser, files, ears] = await Promise.all([
      host.url(),
      launchChromium(),
      buildPages(clientNames.map((name) => `test/clients/pages/${name}.html`)),
      earsScript(),
    ])
    return new Stage(host, url, browser, await PageServer.listen({ files }), ears)
  }

  /** Opens the page of a client, which reaches the host over a network of its own. */
  async page(client: ClientName): Promise<ClientPage> {
    const network = await ClientNetwork.open(Number(new URL(this.url).port))
    const context = await this.#browser.newContext({ permissions: ['microphone'] })
    await context.addInitScript(this.#ears)
    // Its player makes sound at another rate than its microphone.
    await context.addInitScript('ears.becomeMicrophone({ noise: -60, ownClock: true })')
    const tab = await context.newPage()
    await network.carry(tab)
    const page = new ClientPage(client, tab, network)
    await page.goto(`${this.#pages.url}/test/clients/pages/${client}.html?host=${network.url}`)
    return page
  }

  /** The report of a call, which must end in time. */
  async report(call: string): Promise<SessionReport> {
    const late = new AbortController()
    const timer = systemClock.after(END_WITHIN, 'the session ends', () =>
      late.abort(new Error(`the session has not ended within ${END_WITHIN / 1_000} s`)),
    )
    try {
      // The stream ends when the session does.
      const stream = await fetch(`${this.url}/api/sessions/${call}/events`, { signal: late.signal })
      await stream.text()
    } finally {
      timer.clear()
    }
    const details = await fetch(`${this.url}/api/sessions/${call}`)
    return ((await details.json()) as SessionDetails).report!
  }

  /** Sessions that have not ended. */
  async unended(): Promise<readonly SessionSummary[]> {
    const answer = await fetch(`${this.url}/api/sessions`)
    const { sessions } = (await answer.json()) as { sessions: SessionSummary[] }
    return sessions.filter(({ state }) => state !== 'closed')
  }

  /** Stops the host. Returns what is left of it: sessions that did not close cleanly, and whatever has held its process open. */
  async stopHost(): Promise<string[]> {
    this.host.signal('SIGTERM')
    const code = await this.host.ended()
    const left = this.host.lines.flatMap((line) => {
      if (Array.isArray(line['heldOpen'])) return line['heldOpen'] as string[]
      return line['clean'] === false && 'session' in line ? [JSON.stringify(line)] : []
    })
    return code === 0 || left.length > 0 ? left : [`the host exited with ${code}: ${this.host.errors}`]
  }

  async close(): Promise<void> {
    this.host.signal('SIGTERM')
    await this.#browser.close()
    await this.#pages.close()
    await this.host.ended()
  }
}

/** The agent of the demo imports the package as it is published, so that it has to be built. */
export function buildOnce(): void {
  if (existsSync('dist/cli/main.js')) return
  execFileSync('npm', ['run', '-s', 'build'], { stdio: ['ignore', 2, 2] })
}
