import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Recordings } from '../../src/host/recordings.ts'
import { Scope } from '../../src/scope/index.ts'
import { tool } from '../../src/session/index.ts'
import { callTool } from '../../src/testing/index.ts'
import { barriers } from './barriers.ts'
import { askForHours, call, sentence, turnOn } from './callers.ts'
import { looks, pictures } from './looks.ts'
import { idOf, makeMorning, openMorning, recordingsIn } from './morning/morning.ts'
import type { Studio } from './studio.ts'
import { studios } from './studios.ts'

const openStudio = studios()
let folder = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'endwell-studio-looks-'))
  await makeMorning(folder)
})

afterAll(() => rmSync(folder, { recursive: true }))

/** Looks at the views of a page, one after another. */
class Looks {
  /** What is wrong with each view. */
  readonly found: Record<string, unknown> = {}
  readonly #page: Page
  readonly #suffix: string

  constructor(page: Page, suffix: string) {
    this.#page = page
    this.#suffix = suffix
  }

  async at(view: string): Promise<void> {
    const found = await barriers(this.#page)
    const fits = await this.#page.evaluate('document.documentElement.scrollWidth <= innerWidth')
    if (found.length > 0 || fits !== true) this.found[view] = [...found, ...(fits ? [] : ['too wide'])]
    if (pictures !== undefined)
      await this.#page.screenshot({ path: join(pictures, `${view}-${this.#suffix}.png`), fullPage: true })
  }
}

describe.each(looks)('the page: %s, %s', (colorScheme, size, viewport) => {
  const browserOptions = { colorScheme, viewport, timezoneId: 'Europe/Berlin', locale: 'en-US' } as const

  it('has no accessibility barriers in a call and after it', async () => {
    await using studio = await openStudio({ recordings: folder, browserOptions })
    const { page } = studio
    const look = new Looks(page, `${size}-${colorScheme}`)
    await studio.goto()
    await page.getByText('online').waitFor()
    await look.at('first')
    await turnOn(studio, /stt close hangs/)
    studio.script = {
      ...anInterestingCall,
      recording: new Recordings(folder).sink(`${size}-${colorScheme}`, 1),
    }
    await call(studio)
    await page.evaluate('testLine.level(0.2), testLine.agentLevel(0.1)')
    await page.getByRole('button', { name: 'When are you open?' }).click()
    await page.getByRole('log').locator('.waited').waitFor()
    await studio.call!.caller.hears('to six')
    await askForHours(studio)
    await look.at('call')
    await page.getByRole('button', { name: 'Keypad' }).click()
    await page.getByRole('button', { name: 'Sound' }).click()
    await page.getByRole('button', { name: 'Mute' }).click()
    await look.at('muted')
    await page.getByRole('button', { name: 'Hang up' }).click()
    await page.locator('.ended.closing .step.open').first().waitFor()
    await look.at('closing')
    await sentence(page).getByText('The STT did not close').waitFor()
    await page.locator('.wave.agent path').waitFor()
    await look.at('ended')
    expect(look.found).toEqual({})
    expect(studio.errors).toEqual([])
  })

  it('has no accessibility barriers in the list, in calls of the past, and in a call that is watched', async () => {
    await using past = await thePast()
    await using studio = await openStudio({ ...past.options, browserOptions })
    const { page, stage } = studio
    const look = new Looks(page, `${size}-${colorScheme}`)
    await watchedCall(studio)
    await studio.goto('#/sessions')
    await page.getByRole('link', { name: idOf('hours') }).waitFor()
    await look.at('calls')
    await page.getByRole('radio', { name: 'went wrong' }).check({ force: true })
    await page.getByRole('link', { name: idOf('hours') }).waitFor({ state: 'detached' })
    await look.at('calls-that-went-wrong')
    await page.getByRole('link', { name: idOf('stubborn-tool') }).click()
    await page.locator('.wave.agent path').waitFor()
    await look.at('call-that-went-wrong')
    await studio.goto(`#/sessions/${idOf('long')}`)
    await page.locator('.wave.agent path').waitFor()
    await page.getByText('Event log').click()
    await look.at('call-of-the-past')
    await studio.goto(`#/compare/${idOf('slow-model')}/${idOf('failed-tool')}`)
    await page.locator('.wave.agent path').nth(1).waitFor()
    await look.at('comparison')
    await studio.goto('#/sessions/watched')
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await look.at('call-that-is-watched')
    expect(stage.host.logbook.live).toBe(1)
    expect(look.found).toEqual({})
    expect(studio.errors).toEqual([])
  })

  it('has no accessibility barriers when there is nothing to show', async () => {
    await using studio = await openStudio({ browserOptions, secret: 'correct horse battery' })
    const { page, stage } = studio
    const look = new Looks(page, `${size}-${colorScheme}`)
    await studio.goto('#/sessions')
    await page.getByLabel('Secret', { exact: true }).fill('correct horse battery')
    await look.at('login')
    await page.keyboard.press('Enter')
    await page.getByText('No calls yet.').waitFor()
    await look.at('no-calls')
    await studio.goto('#/sessions/gone')
    await page.getByRole('heading', { name: 'Call not found' }).waitFor()
    await look.at('no-such-call')
    await stage.scope.close()
    await page.getByText('Server not responding').waitFor()
    await look.at('no-server')
    expect(look.found).toEqual({})
  })
})

/** A call with an answered turn, a running tool, and prices. */
const anInterestingCall: Studio['script'] = {
  closeTimeout: 4_000,
  thinksFor: 420,
  msPerCharacter: 15,
  answers: [
    'We are open from eight to six.',
    ['Let me see. ', callTool('openingHours', { day: 'Monday' })],
    'We are open on Monday.',
  ],
  prices: { tts: { characters: 0.000_03 } },
  priceList: { currency: 'USD', products: {} },
}

/** A call that somebody else makes, and that waits for approval. */
async function watchedCall({ stage }: Studio): Promise<void> {
  const book = tool({ description: 'Books', approval: true, run: () => 'booked' })
  const { session, caller } = stage.call({
    id: 'watched',
    msPerCharacter: 5,
    thinksFor: 300,
    agent: {
      name: 'reception',
      tools: { book },
      onEnter: ({ session: own }) => own.say('Bright Dental, good morning!'),
    },
    answers: [['I will do that for you. ', callTool('book', { day: 'Monday', time: '10:00' })], 'Done.'],
  })
  await session.start()
  caller.types('Please book me in on Monday at ten.')
}

interface Past extends AsyncDisposable {
  readonly options: NonNullable<Parameters<typeof openStudio>[0]>
}

/** A host that was restarted: what it knows is in the journal. */
async function thePast(): Promise<Past> {
  const scope = new Scope('past')
  const { journal, fleet } = await openMorning(folder, scope)
  return {
    options: { scope, fleet, recordings: recordingsIn(folder) },
    [Symbol.asyncDispose]: async () => {
      await scope.close()
      await journal.close()
    },
  }
}
