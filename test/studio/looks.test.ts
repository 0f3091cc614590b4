import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
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
import { pressOn, tabTo } from './keyboard.ts'
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

/** Looks at the views of a page, one after another: in light and dark mode, on a wide screen and on a phone. */
class Looks {
  /** What is wrong with each view. */
  readonly found: Record<string, unknown> = {}
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  async at(view: string): Promise<void> {
    const page = this.#page
    for (const [colorScheme, size, viewport] of looks) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(viewport)
      const name = `${view}-${size}-${colorScheme}`
      const found = await barriers(page)
      const fits = await page.evaluate('document.documentElement.scrollWidth <= innerWidth')
      if (found.length > 0 || fits !== true) this.found[name] = [...found, ...(fits ? [] : ['too wide'])]
      if (pictures !== undefined)
        await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
    }
  }
}

describe('the page, in every look', () => {
  const browserOptions = { timezoneId: 'Europe/Berlin', locale: 'en-US' } as const

  it('[ST6] has no accessibility barriers in a call and after it', async () => {
    await using studio = await openStudio({ recordings: folder, browserOptions })
    const { page } = studio
    const look = new Looks(page)
    await studio.goto()
    await page.getByText('online').waitFor()
    await look.at('first')
    await turnOn(studio, /stt close hangs/)
    studio.script = {
      ...anInterestingCall,
      recording: new Recordings(folder).sink('looks', 1),
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

  it('[ST6] has no accessibility barriers in the list, in calls of the past, and in a call that is watched', async () => {
    await using past = await thePast()
    await using studio = await openStudio({ ...past.options, browserOptions })
    const { page, stage } = studio
    const look = new Looks(page)
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

  it('[ST6] has no accessibility barriers when there is nothing to show', async () => {
    await using studio = await openStudio({ browserOptions, secret: 'correct horse battery' })
    const { page, stage } = studio
    const look = new Looks(page)
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

describe('the page, with the keyboard alone', () => {
  it('[ST6] finds the call that went wrong, shows where its time went and what it cost, and plays it', async () => {
    await using past = await thePast()
    await using studio = await openStudio(past.options)
    const { page } = studio
    const press = (name: string | RegExp, key?: string): Promise<void> => pressOn(page, name, key)
    await studio.goto()
    await press(/^a Calls/)
    await page.getByRole('link', { name: idOf('hours') }).waitFor()

    // The filter is a group of radio buttons: all, live, went wrong.
    await press('input all', 'ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.getByRole('link', { name: idOf('hours') }).waitFor({ state: 'detached' })
    await press(/^a My tooth hurts/)
    await sentence(page).getByText('The tool book did not stop').waitFor()
    await page.locator('.tool-call.stuck').getByText('did not stop').waitFor()
    await page.getByText(/^Slowest stage: Model/).waitFor()
    const amounts = page.getByRole('region', { name: 'Cost' }).getByText(/^\$0\.\d{4}$/)
    expect(await amounts.count()).toBe(3)

    const position = async (): Promise<number> =>
      Number(await page.getByRole('slider', { name: 'Position in the recording' }).inputValue())
    await page.locator('.wave.agent path').waitFor()
    await press('input Position in the recording', 'ArrowRight')
    expect(await position()).toBe(5_000)
    await press('button Play')
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
    await press('button Play from 0:16')
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await page.locator('.word.now').waitFor()
    expect(await position()).toBeGreaterThan(15_000)

    // Back to the list, which still has the filter.
    await press(/^a Calls/)
    await page.getByLabel(`Compare ${idOf('faulty-model')}`).waitFor()
    await press(`input Compare ${idOf('faulty-model')}`, 'Space')
    await press(`input Compare ${idOf('stubborn-tool')}`, 'Space')
    await press('a Compare')
    await page
      .getByRole('row', { name: /^How it closed The LLM failed.* The tool book did not stop/ })
      .waitFor()
    await press(/^a Calls/)
    await page.getByRole('button', { name: 'Export CSV' }).waitFor()
    const [csv] = await Promise.all([page.waitForEvent('download'), press('button Export CSV')])
    const [, ...rows] = readFileSync(await csv.path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(rows).toHaveLength(4)
    expect(rows.filter((row) => row.includes(',The tool book did not stop when it was asked,'))).toHaveLength(
      1,
    )

    // A call that waits for approval.
    await watchedCall(studio)
    await press('input went wrong', 'ArrowLeft')
    await page.getByRole('link', { name: 'watched' }).waitFor()
    await press(/^a Please book me in/)
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await press('button Approve')
    await page.locator('.tool-call.done').getByText('approved').waitFor()

    // A call from the page.
    await press('a Talk')
    await page.getByRole('button', { name: 'Call', exact: true, disabled: false }).waitFor()
    await press('button Call')
    await page.getByRole('log').getByText('How can I help you?').waitFor()
    await press('button Mute', 'Space')
    await page.getByRole('button', { name: 'Unmute' }).waitFor()
    await press('button Keypad')
    await press('button 5')
    await tabTo(page, 'input Type instead of speaking')
    await page.keyboard.type('When are you open?')
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByText('reading the calendar').waitFor()
    await press('button Hang up')
    await sentence(page).getByText('Closed cleanly').waitFor()
    await press('button Copy as text')
    await page.getByRole('status').getByText('copied').waitFor()
    expect(studio.errors).toEqual([])
  })
})

/** A call with an answered turn, a running tool, and prices. */
const anInterestingCall: Studio['script'] = {
  closeTimeout: 6_000,
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
