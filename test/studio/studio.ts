import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { HostInfo } from '../../src/host/index.ts'
import { tool } from '../../src/session/index.ts'
import { callTool } from '../../src/testing/index.ts'
import { PATIENCE } from '../browser/chromium.ts'
import { Stage, type StageCall, type StageCallOptions, type StageOptions } from '../host/stage.ts'

export const info: Omit<HostInfo, 'faults'> = {
  name: 'Bright Dental',
  version: '1.2.3',
  mode: 'demo',
  agent: 'Reception',
  models: { stt: 'local', llm: 'clinic dialogue', tts: 'flite' },
  phrases: ['When are you open?', 'I would like to book an appointment on Monday at ten.', 'Goodbye.'],
  rate: 16_000,
  call: 'call',
}

/** The faults that can be injected into the next call. */
const faults = {
  'tool ignores its signal': 'A tool keeps running after it was cancelled.',
  'stt close hangs': 'The connection to the STT never finishes closing.',
  'exit hook throws': 'The exit hook of the agent throws an error.',
} as const

const opening = tool({
  description: 'Looks up the opening hours',
  run: async (_, { progress, signal }) => {
    progress('reading the calendar')
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve)
    })
    return 'eight to six'
  },
})

const stubborn = tool({
  description: 'Looks up the opening hours, and ignores its signal',
  run: async (_, { progress }) => {
    progress('reading the calendar')
    await new Promise(() => {})
  },
})

/** A real host, a real browser, and scripted sessions. */
export class Studio {
  readonly stage: Stage
  readonly page: Page
  /** Errors in the page's console, violations of its content security policy included. */
  readonly errors: string[] = []
  /** The call that the page made last. */
  call: StageCall | undefined
  /** The options of the next call from the page. */
  script: StageCallOptions = {}
  /** The faults that are switched on. */
  readonly #on: ReadonlySet<string>

  private constructor(stage: Stage, page: Page, on: ReadonlySet<string>) {
    this.stage = stage
    this.page = page
    this.#on = on
    page.on('console', (message) => {
      if (message.type() === 'error') this.errors.push(message.text())
    })
    page.on('pageerror', (error) => this.errors.push(error.message))
  }

  static async open(
    browser: Browser,
    folder: string,
    { browserOptions, ...options }: StageOptions & { browserOptions?: BrowserContextOptions } = {},
  ): Promise<Studio> {
    const on = new Set<string>()
    const board = {
      list: () => Object.entries(faults).map(([name, about]) => ({ name, about })),
      set: (names: readonly string[]) => {
        on.clear()
        for (const name of names) on.add(name)
      },
    }
    const production = options.info?.mode === 'production'
    const stage = await Stage.open({
      page: folder,
      info,
      ...(production ? {} : { faults: board }),
      ...options,
    })
    const context = await browser.newContext({
      permissions: ['clipboard-read', 'clipboard-write'],
      reducedMotion: 'reduce',
      ...browserOptions,
    })
    context.setDefaultTimeout(PATIENCE)
    const page = await context.newPage()
    const studio = new Studio(stage, page, on)
    await page.exposeFunction('testDial', () => studio.#dial())
    await page.exposeFunction('testCaller', (does: string, what: string) => studio.#caller(does, what))
    return studio
  }

  async goto(hash = ''): Promise<void> {
    await this.page.goto(`${this.stage.url}/${hash}`)
  }

  async #dial(): Promise<string> {
    const has = (name: keyof typeof faults): boolean => this.#on.has(name)
    const call = this.stage.call({
      msPerCharacter: 20,
      answers: [
        ['Let me see. ', callTool('openingHours', { day: 'Monday' })],
        'We are open from eight to six.',
      ],
      agent: {
        name: 'Reception',
        tools: { openingHours: has('tool ignores its signal') ? stubborn : opening },
        onEnter: ({ session }) => session.say('Bright Dental, good morning! How can I help you?'),
        ...(has('exit hook throws')
          ? {
              onExit: () => {
                throw new Error('the exit hook failed')
              },
            }
          : {}),
      },
      closeTimeout: 600,
      ...this.script,
    })
    if (has('stt close hangs')) call.faults.set('close:stt', 'hang')
    this.call = call
    await call.session.start()
    return call.session.id
  }

  #caller(does: string, what: string): void {
    const { caller } = this.call!
    if (does === 'types') caller.types(what)
    else if (does === 'presses') caller.presses(what)
    else caller.hangsUp()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close()
    await this.stage[Symbol.asyncDispose]()
  }
}
