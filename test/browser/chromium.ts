import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { pathToFileURL } from 'node:url'
import chromium from '@sparticuz/chromium'
import { chromium as playwright, type Browser, type Page } from 'playwright-core'
import { transformWithOxc } from 'vite'
import { chromiumBinary } from './chromium-binary.ts'

// Tests and benchmarks run from the root. A benchmark is compiled to another folder, and its pages need the source.
const root = pathToFileURL(`${process.cwd()}/`)

/** How long to wait for a browser or a page, in milliseconds. Only a hang takes this long, even on a busy machine. */
export const PATIENCE = 120_000

export interface ChromiumOptions {
  /** A WAV file to use as the microphone. Default: a beep now and then. */
  readonly microphone?: string
  /** Whether that file loops. Default: false. */
  readonly repeats?: boolean
  /** Whether the user allows the microphone. Default: true. */
  readonly allowsMicrophone?: boolean
  /** Whether a page may play sound before the first click. Default: true. */
  readonly allowsSound?: boolean
}

/**
 * Launches a real Chromium from npm.
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
    timeout: PATIENCE,
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
  // These would make the browser behave unlike a user's: one process, and no web security.
  '--single-process',
  '--disable-web-security',
  '--allow-running-insecure-content',
  // Forking a process for a page takes half the CPU time of starting one.
  '--no-zygote',
  // Emulating a GPU takes twice the CPU time of drawing without one.
  '--ignore-gpu-blocklist',
  '--in-process-gpu',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
])

export interface PageServerOptions {
  /** Files by path. The extension gives the content type; `/` is HTML. */
  readonly files?: Readonly<Record<string, string>>
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/**
 * Serves the files of the repository, and files of its own, on 127.0.0.1. It compiles TypeScript, so that a page can
 * import the source: `import '/src/…/index.ts'`.
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

  /** On `localhost`, where a page may use the microphone without TLS. */
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
    // A page loads `x-worklet.js`, which `npm run build` compiles from `x-worklet.ts`.
    if (source === undefined && path.endsWith('.js')) return await this.#find(path.replace(/\.js$/, '.ts'))
    if (source === undefined) throw new Error(`not found: ${path}`)
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

/** Evaluates a script without a user gesture. Playwright's own `evaluate` counts as a click. */
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

/** Collects the uncaught errors of a page, and what it logs as an error. */
export function troubleOf(page: Page): string[] {
  const trouble: string[] = []
  page.on('pageerror', (error) => trouble.push(error.stack ?? error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') trouble.push(message.text())
  })
  return trouble
}
