import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { WebSocketCalls, type WebSocketLine } from '../../src/lines/websocket/index.ts'
import { Scope } from '../../src/scope/index.ts'
import { Agent, Session, type SessionReport } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedTts } from '../../src/testing/index.ts'
import { buildPages } from '../browser/build-pages.ts'
import { PATIENCE, PageServer, troubleOf } from '../browser/chromium.ts'

export const GREETING = 'Bright Dental, good morning!'
export const ANSWER = 'From eight to six.'

/** Builds the example, and the page that mounts it for a test. Returns their files by path. */
export function buildExample(): Promise<Readonly<Record<string, string>>> {
  return buildPages(['examples/react/index.html', 'test/react/index.html'])
}

/** Counts what the page opens, so that a test can see what it leaves open. */
const counters = `
  globalThis.open = { sockets: [], contexts: [], tracks: [], frames: 0 }
  globalThis.WebSocket = class extends WebSocket { constructor(...given) { super(...given); open.sockets.push(this) } }
  globalThis.AudioContext = class extends AudioContext { constructor(...given) { super(...given); open.contexts.push(this) } }
  const media = navigator.mediaDevices
  const ask = media.getUserMedia.bind(media)
  media.getUserMedia = async (...given) => {
    const stream = await ask(...given)
    open.tracks.push(...stream.getTracks())
    return stream
  }
  const draw = requestAnimationFrame
  open.draw = (callback) => draw(callback)
  globalThis.requestAnimationFrame = (callback) => { open.frames++; return draw(callback) }
`

export interface Left {
  readonly sockets: number
  readonly contexts: number
  readonly tracks: number
  /** How often the page asked to draw a frame while two frames were drawn. */
  readonly frames: number
}

/** The example in a real browser, and a server with scripted sessions. Disposing closes everything. */
export class ReactStage {
  readonly page: Page
  readonly trouble: string[]
  readonly sessions: Session[] = []
  readonly reports: SessionReport[] = []
  readonly #scope = new Scope<string>('stage')
  readonly #server: PageServer

  private constructor(page: Page, server: PageServer, calls: (stage: ReactStage) => void) {
    this.page = page
    this.trouble = troubleOf(page)
    this.#server = server
    calls(this)
  }

  static async open(
    browser: Browser,
    files: Readonly<Record<string, string>>,
    { path = '/test/react/index.html', maxCalls = 10, ...options }: StageOptions = {},
  ): Promise<ReactStage> {
    let calls: WebSocketCalls | undefined
    const server = await PageServer.listen({
      files,
      upgrade: (request, socket, head) => calls?.upgrade(request, socket, head),
    })
    const context = await browser.newContext({ permissions: ['microphone'], ...options })
    context.setDefaultTimeout(PATIENCE)
    await context.addInitScript(counters)
    const page = await context.newPage()
    const stage = new ReactStage(page, server, (own) => {
      const onCall = (line: WebSocketLine): Promise<void> => own.#answer(line)
      calls = new WebSocketCalls({ scope: own.#scope, maxCalls, onCall, transcript: true })
    })
    await page.goto(server.url + path)
    return stage
  }

  /** The button that calls and hangs up. */
  button(name: 'Call' | 'Hang up' | 'Cancel') {
    return this.page.getByRole('button', { name, exact: true })
  }

  /** Calls, and waits until the greeting was heard. */
  async call(): Promise<void> {
    await this.button('Call').click()
    await this.page.getByText(GREETING).waitFor()
  }

  /** Resolves with the report of the last session. */
  async report(): Promise<SessionReport> {
    return await this.sessions.at(-1)!.closed
  }

  /** What the page has left open. */
  async left(): Promise<Left> {
    return (await this.page.evaluate(`(async () => {
      const before = open.frames
      const next = () => new Promise((resolve) => open.draw(resolve))
      await next(), await next()
      return {
        sockets: open.sockets.filter(({ readyState }) => readyState < 2).length,
        contexts: open.contexts.filter(({ state }) => state !== 'closed').length,
        tracks: open.tracks.filter(({ readyState }) => readyState === 'live').length,
        frames: open.frames - before,
      }
    })()`)) as Left
  }

  async #answer(line: WebSocketLine): Promise<void> {
    const agent = new Agent({
      name: 'Reception',
      instructions: '',
      onEnter: ({ session }) => session.say(GREETING),
    })
    const models = {
      llm: new ScriptedLlm({ answers: [ANSWER] }),
      tts: new ScriptedTts({ msPerCharacter: 20 }),
    }
    const session = new Session({ agent, models, line })
    session.on('closed', (report) => this.reports.push(report))
    this.sessions.push(session)
    await session.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close()
    await Promise.all(this.sessions.map((session) => session.close()))
    await this.#scope.close()
    await this.#server.close()
  }
}

export interface StageOptions extends BrowserContextOptions {
  /** The page to open. Default: the one that can be unmounted. */
  readonly path?: string
  readonly maxCalls?: number
}
