import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { AudioFrame } from '../../src/audio/index.ts'
import {
  WebSocketCalls,
  type CallInfo,
  type WebSocketCallsOptions,
  type WebSocketLine,
} from '../../src/lines/websocket/index.ts'
import type { LineConnection } from '../../src/parts/index.ts'
import { Scope, systemClock, systemRandom } from '../../src/scope/index.ts'
import { partContext, type TestPartContext } from '../../src/testing/index.ts'
import { PATIENCE, PageServer, troubleOf } from '../browser/chromium.ts'

/** An event of a line. */
export type Emitted =
  | { readonly what: 'marked'; readonly id: number; readonly heard: number | undefined }
  | { readonly what: 'text' | 'dtmf'; readonly text: string }
  | { readonly what: 'hungUp' }
  | { readonly what: 'lost' }

/** The server's end of one call. */
export class StagedCall {
  readonly info: CallInfo
  readonly context: TestPartContext
  connection!: LineConnection
  readonly emitted: Emitted[] = []
  readonly frames: AudioFrame[] = []
  readonly #waiting = new Set<() => void>()

  private constructor(info: CallInfo) {
    this.info = info
    this.context = partContext({ clock: systemClock, random: systemRandom })
  }

  static async answer(line: WebSocketLine, info: CallInfo): Promise<StagedCall> {
    const call = new StagedCall(info)
    const emit = (event: Emitted): void => {
      call.emitted.push(event)
      call.#changed()
    }
    call.connection = await line.open(call.context, {
      frame: (frame) => {
        call.frames.push(frame)
        call.#changed()
      },
      marked: (id, heard) => emit({ what: 'marked', id, heard }),
      text: (text) => emit({ what: 'text', text }),
      dtmf: (text) => emit({ what: 'dtmf', text }),
      hungUp: () => emit({ what: 'hungUp' }),
      lost: () => emit({ what: 'lost' }),
      handedOver: () => {},
    })
    return call
  }

  /** Resolves when the line has emitted such an event. */
  async emits<What extends Emitted['what']>(
    what: What,
    fits: (event: Emitted & { what: What }) => boolean = () => true,
  ): Promise<Emitted & { what: What }> {
    const find = (): (Emitted & { what: What }) | undefined =>
      this.emitted.find(
        (event): event is Emitted & { what: What } => event.what === what && fits(event as never),
      )
    await this.until(() => find() !== undefined)
    return find()!
  }

  marked(id: number): Promise<Emitted & { what: 'marked' }> {
    return this.emits('marked', (event) => event.id === id)
  }

  until(met: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!met()) return
        this.#waiting.delete(look)
        resolve()
      }
      this.#waiting.add(look)
      look()
    })
  }

  #changed(): void {
    for (const look of this.#waiting) look()
  }
}

const html = [
  '<!doctype html><title>a call</title><link rel="icon" href="data:," />',
  '<script type="module" src="/test/lines/page-driver.ts"></script>',
].join('\n')

/** A server with the browser line, and a page in a real browser that calls it. Disposing closes everything. */
export class BrowserStage {
  readonly scope = new Scope<string>('stage', { phases: ['tasks', 'resources'] })
  readonly calls: WebSocketCalls
  readonly trouble: string[]
  readonly page: Page
  readonly #server: PageServer
  readonly #context: BrowserContext
  readonly #calls: StagedCall[] = []
  #called: ((call: StagedCall) => void)[] = []

  private constructor(
    context: BrowserContext,
    page: Page,
    server: PageServer,
    calls: (scope: Scope<string>, onCall: WebSocketCallsOptions['onCall']) => WebSocketCalls,
  ) {
    this.#context = context
    this.#server = server
    this.page = page
    this.trouble = troubleOf(page)
    this.calls = calls(this.scope, async (line, info) => {
      const call = await StagedCall.answer(line, info)
      this.#calls.push(call)
      for (const called of this.#called.splice(0)) called(call)
    })
  }

  static async set(browser: Browser, options: Partial<WebSocketCallsOptions> = {}): Promise<BrowserStage> {
    const context = await browser.newContext()
    context.setDefaultTimeout(PATIENCE)
    const page = await context.newPage()
    let stage: BrowserStage | undefined
    const server = await PageServer.listen({
      files: { '/': html },
      upgrade: (request, socket, head) => stage?.calls.upgrade(request, socket, head),
    })
    stage = new BrowserStage(
      context,
      page,
      server,
      (scope, onCall) => new WebSocketCalls({ scope, onCall, ...options }),
    )
    await page.goto(server.url)
    return stage
  }

  get port(): number {
    return this.#server.port
  }

  /** Opens another tab of the same browser. */
  async openPage(): Promise<Page> {
    const page = await this.#context.newPage()
    await page.goto(this.#server.url)
    return page
  }

  /** The page calls, and is answered. */
  async call(options: object = {}): Promise<StagedCall> {
    const called = this.answered()
    await this.run(`driver.connect(${JSON.stringify({ url: '/call', ...options })})`)
    return await called
  }

  /** Resolves when the next call is answered. */
  answered(): Promise<StagedCall> {
    return new Promise((resolve) => this.#called.push(resolve))
  }

  run<T = unknown>(script: string): Promise<T> {
    return this.page.evaluate(script) as Promise<T>
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { context } of this.#calls) await context.scope.close()
    await this.scope.close()
    await this.#context.close()
    await this.#server.close()
  }
}
