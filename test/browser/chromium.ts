import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { pathToFileURL } from 'node:url'
import chromium from '@sparticuz/chromium'
import { chromium as playwright, type Browser, type Page } from 'playwright-core'
import { transformWithOxc } from 'vite'
import { chromiumBinary } from './chromium-binary.ts'

// Where everything is run from: a bench runs compiled, elsewhere, and a page wants the source.
const root = pathToFileURL(`${process.cwd()}/`)

export interface ChromiumOptions {
  /** A WAV file that the microphone hears, once. Without one it hears a beep now and then. */
  readonly microphone?: string
  /** Whether it hears that file again and again. */
  readonly repeats?: boolean
  /** Whether the user lets a page have the microphone: yes unless false. */
  readonly allowsMicrophone?: boolean
  /** Whether a page may make sound before somebody has clicked: yes unless false. */
  readonly allowsSound?: boolean
}

/**
 * A real Chromium from npm: nothing has to be installed.
 *
 * ```ts
 * let browser: Browser
 * beforeAll(async () => { browser = await launchChromium({ microphone: 'hello.wav' }) })
 * afterAll(() => browser.close())
 * ```
 */
export async function launchChromium(options: ChromiumOptions = {}): Promise<Browser> {
  const { microphone, repeats = false, allowsMicrophone = true, allowsSound = true } = options
  return await playwright.launch({
    executablePath: await chromiumBinary(),
    args: [
      ...chromium.args.filter((each) => !unwanted.has(each)),
      '--disable-gpu',
      '--use-fake-device-for-media-stream',
      ...(microphone === undefined
        ? []
        : [`--use-file-for-fake-audio-capture=${microphone}${repeats ? '' : '%noloop'}`]),
      `--use-fake-ui-for-media-stream${allowsMicrophone ? '' : '=deny'}`,
      `--autoplay-policy=${allowsSound ? 'no-user-gesture-required' : 'document-user-activation-required'}`,
    ],
  })
}

const unwanted = new Set([
  // The browser has separate processes and enforces the rules of the web, as users' browsers do.
  '--single-process',
  '--disable-web-security',
  '--allow-running-insecure-content',
  // Emulating a GPU takes twice the CPU time of drawing without one.
  '--ignore-gpu-blocklist',
  '--in-process-gpu',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
])

export interface PageServerOptions {
  /** What is at a path, with its type by the ending; `/` is a page of HTML. */
  readonly files?: Readonly<Record<string, string>>
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/**
 * Serves pages to a browser on 127.0.0.1, and every file of the repository below its own path. TypeScript is served as
 * what a browser understands, so that a page runs the source as it is: `import '/src/…/index.ts'`.
 */
export class PageServer {
  readonly #server: Server
  readonly #files: Readonly<Record<string, string>>

  private constructor({ files = {}, upgrade }: PageServerOptions) {
    this.#files = files
    this.#server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost')
      this.#find(pathname).then(
        ({ type, body }) => response.writeHead(200, { 'content-type': type }).end(body),
        () => response.writeHead(404).end(),
      )
    })
    if (upgrade) this.#server.on('upgrade', upgrade)
  }

  static async listen(options: PageServerOptions): Promise<PageServer> {
    const server = new PageServer(options)
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** `localhost`: a page from there may have the microphone. */
  get url(): string {
    return `http://localhost:${this.port}`
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #find(path: string): Promise<{ type: string; body: string }> {
    const own = this.#files[path]
    if (own !== undefined) return { type: typeOf(path), body: own }
    const file = new URL(`.${path}`, root)
    const source = await readFile(file, 'utf8').catch(() => undefined)
    // A page asks for `x-worklet.js`, which `npm run build` makes of `x-worklet.ts`.
    if (source === undefined && path.endsWith('.js')) return await this.#find(path.replace(/\.js$/, '.ts'))
    if (source === undefined) throw new Error(`there is no ${path}`)
    if (!path.endsWith('.ts')) return { type: typeOf(path), body: source }
    const { code } = await transformWithOxc(source, path, { sourcemap: false, target: 'es2022' })
    return { type: 'text/javascript', body: code }
  }
}

function typeOf(path: string): string {
  if (path.endsWith('.js') || path.endsWith('.ts')) return 'text/javascript'
  if (path.endsWith('.css')) return 'text/css'
  return 'text/html; charset=utf-8'
}

/** Runs a script in a page as the page itself would: what playwright evaluates counts as a click of the user. */
export async function runUnclicked(page: Page, expression: string): Promise<unknown> {
  const session = await page.context().newCDPSession(page)
  const { result } = await session.send('Runtime.evaluate', {
    expression,
    userGesture: false,
    awaitPromise: true,
    returnByValue: true,
  })
  await session.detach()
  return result.value
}

/** What goes wrong in a page: errors that nobody caught, and what it logs as an error. */
export function troubleOf(page: Page): string[] {
  const trouble: string[] = []
  page.on('pageerror', (error) => trouble.push(error.stack ?? error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') trouble.push(message.text())
  })
  return trouble
}
