import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Scope } from '../../src/scope/index.ts'
import { launchChromium } from '../browser/chromium.ts'
import { Stage, told } from '../host/stage.ts'
import { barriers } from './barriers.ts'
import { buildPage } from './build-page.ts'
import { tabTo } from './keyboard.ts'
import { Studio, info } from './studio.ts'

/** A folder for pictures of every view, to be looked at by people. */
const pictures = process.env['STUDIO_PICTURES']

let browser: Browser
let built: Awaited<ReturnType<typeof buildPage>>

beforeAll(async () => {
  ;[browser, built] = await Promise.all([launchChromium(), buildPage()])
})

afterAll(async () => {
  await browser.close()
  built.remove()
})

const openStudio = (options?: Parameters<typeof Studio.open>[2]): Promise<Studio> =>
  Studio.open(browser, built.folder, options)

const sentence = (page: Page) => page.locator('.sentence')

/** From the idle page into the call, greeted. */
async function call(studio: Studio): Promise<void> {
  const { page } = studio
  await page.getByRole('button', { name: /^Call/ }).click()
  await page.getByRole('log').getByText('How can I help you?').waitFor()
}

/** Asks for something that takes a tool, which works until it is told to stop. */
async function askForHours({ page }: Studio): Promise<void> {
  await page.getByLabel('Type instead of speaking').fill('When are you open?')
  await page.keyboard.press('Enter')
  await page.getByRole('log').getByText('looking into the calendar').waitFor()
}

describe('a call in the page', () => {
  it('shows what is said, what is alive, and how it ended', async () => {
    await using studio = await openStudio()
    const { page } = studio
    await studio.goto()
    await call(studio)
    await studio.call!.caller.hears('help you')
    await askForHours(studio)

    const alive = page.getByRole('list', { name: 'Everything the session owns' })
    await alive.getByText('openingHours', { exact: true }).waitFor()
    await alive.getByText('stt', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Hang up' }).click()
    await sentence(page)
      .getByText(/^Ended well, in .* of the 600 ms it had\. Nothing is left\.$/)
      .waitFor()
    await page.getByText('Nothing is left.', { exact: true }).waitFor()
    const table = page.getByRole('table', { name: 'Every step of the close' })
    expect(await table.getByRole('row', { name: /^stt/ }).textContent()).toContain('done')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('How it ended')
    expect(studio.complaints).toEqual([])
  })

  it('draws words that nobody heard differently', async () => {
    await using studio = await openStudio()
    const { page } = studio
    studio.script = { msPerCharacter: 60 }
    await studio.goto()
    await call(studio)
    await studio.call!.caller.hears('Dental')
    await page.getByRole('button', { name: 'Hang up' }).click()
    const cut = page.locator('.entry.agent')
    await cut.getByText('cut off').waitFor()
    expect(await cut.locator('s').textContent()).toContain('How can I help you?')
    expect(await cut.locator('.words').textContent()).toMatch(/^Bright.* \(not heard: /)
  })

  it('goes on in spite of faults, and names the culprit', async () => {
    await using studio = await openStudio()
    const { page } = studio
    await studio.goto()
    for (const name of [/tool ignores/, /stt close hangs/]) {
      await page.getByRole('button', { name }).click()
      await page.locator('[aria-pressed=true]').filter({ hasText: name }).waitFor()
    }
    await call(studio)
    await askForHours(studio)
    await page.getByRole('button', { name: 'Hang up' }).click()
    await sentence(page)
      .getByText(/^openingHours did not stop when it was asked, and was given up/)
      .waitFor()
    await page.getByText(/^stt did not close in time, and was cut off/).waitFor()
    await page.getByText('2 things did not end as asked.').waitFor()
    const rows = page.getByRole('table').getByRole('row')
    expect(await rows.filter({ hasText: 'abandoned' }).textContent()).toContain('openingHours')
    expect(await rows.filter({ hasText: 'timed-out' }).textContent()).toContain('stt')
  })

  it('gives the report away: as text, as a file, as a link', async () => {
    await using studio = await openStudio()
    const { page } = studio
    await studio.goto()
    await call(studio)
    await page.getByRole('button', { name: 'Hang up' }).click()
    const { id } = studio.call!.session

    const copied = (): Promise<string> => page.evaluate('navigator.clipboard.readText()')
    await page.getByRole('button', { name: 'Copy as text' }).click()
    await page.getByRole('status').getByText('Report copied').waitFor()
    expect(await copied()).toContain(`session ${id} · caller-hung-up`)

    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByRole('status').getByText('Link copied').waitFor()
    expect(await copied()).toBe(`${studio.stage.url}/#/sessions/${id}`)

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download JSON' }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`session-${id}.json`)
    expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toMatchObject({ version: 1, id })

    await page.goto(await copied())
    await sentence(page).getByText('Ended well').waitFor()
  })

  it('can be made with the keyboard alone', async () => {
    await using studio = await openStudio()
    const { page } = studio
    await studio.goto()
    await page.getByRole('button', { name: 'Call', exact: true, disabled: false }).waitFor()
    const reach = (name: string): Promise<void> => tabTo(page, name)
    await reach('button Call')
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByText('How can I help you?').waitFor()
    await reach('button Mute')
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Unmute' }).waitFor()
    await reach('button Keypad')
    await page.keyboard.press('Enter')
    await reach('button 5')
    await page.keyboard.press('Enter')
    await reach('input Type instead of speaking')
    await page.keyboard.type('When are you open?')
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByText('looking into the calendar').waitFor()
    // Round the page, to what stands before.
    await reach('button Hang up')
    await page.keyboard.press('Enter')
    await sentence(page).getByText('Ended well').waitFor()
    await reach('button Copy as text')
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('copied').waitFor()
  })
})

describe('the sessions', () => {
  it('are listed as they come and go, filtered and searched', async () => {
    await using studio = await openStudio()
    const { page, stage } = studio
    await studio.goto('#/sessions')
    await page.getByText('No sessions yet.').waitFor()

    const first = stage.call({ id: 'first', answers: ['At eight.'] })
    await first.session.start()
    await page.getByRole('row', { name: /first/ }).getByText('live').waitFor()
    const spoken = told(first.session, 'spoken')
    first.caller.types('When do you open?')
    await spoken
    await first.session.close()
    await page.getByRole('row', { name: /first/ }).getByText('clean').waitFor()

    const lost = stage.call({ id: 'second' })
    await lost.session.start()
    lost.caller.vanishes()
    const second = page.getByRole('row', { name: /second/ })
    await second.getByText('The caller vanished').waitFor()

    await page.getByText('not clean', { exact: true }).first().click()
    await page.getByRole('link', { name: 'first' }).waitFor({ state: 'detached' })
    await page.getByRole('radio', { name: 'all' }).check({ force: true })
    await page.getByLabel('Search in sessions').fill('do you open')
    await page.getByRole('link', { name: 'second' }).waitFor({ state: 'detached' })
    await page.getByLabel('Search in sessions').fill('nothing like it')
    await page.getByText('No session fits.').waitFor()
    await page.getByLabel('Search in sessions').fill('')

    await page.getByRole('link', { name: 'first' }).click()
    await sentence(page).getByText('Ended well').waitFor()
    await page.getByText('When do you open?').waitFor()
  })

  it('can be watched and ended from the page', async () => {
    await using studio = await openStudio()
    const { page, stage } = studio
    const { session } = stage.call({ id: 'one', msPerCharacter: 100 })
    await session.start()
    await studio.goto('#/sessions/one')
    const speech = session.say('A long story that somebody will want to stop before it comes to its end.')
    await page.getByText('A long story').waitFor()
    await page.getByRole('button', { name: 'Interrupt' }).click()
    await speech.waitForPlayout()
    await page.getByText(/^(cut off|not heard)$/).waitFor()
    await page.getByRole('button', { name: 'Close now' }).click()
    await sentence(page).getByText('Ended well').waitFor()
    await page.getByText('It was asked to close by studio.', { exact: true }).waitFor()
  })

  it('that are not known any more are not shown as if they were', async () => {
    await using studio = await openStudio()
    await studio.goto('#/sessions/nobody')
    await studio.page.getByText('The host does not know this session.').waitFor()
  })
})

describe('what can be in the way', () => {
  it('is a secret: whoever knows it comes in', async () => {
    await using studio = await openStudio({ secret: 'correct horse' })
    const { page } = studio
    await studio.goto()
    await page.getByLabel('Secret', { exact: true }).fill('wrong horse')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('that is not the secret').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('Secret', { exact: true }).fill('correct horse')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Call', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Call', exact: true }).waitFor()
  })

  it('is a server that is gone, until it is back', async () => {
    const studio = await openStudio()
    const { page, stage } = studio
    await studio.goto()
    await page.getByText('online').waitFor()
    const { port } = stage.server
    await stage.scope.close()
    await page.getByRole('alert').getByText('The server does not answer').waitFor()
    expect(await page.getByRole('button', { name: 'Call', exact: true }).isDisabled()).toBe(true)
    {
      await using again = await Stage.open({ port, info, scope: new Scope('again') })
      await page.getByRole('button', { name: 'Try now' }).click()
      await page.getByText('online').waitFor()
      expect(again.server.connections).toBeGreaterThan(0)
    }
    await page.context().close()
    await studio[Symbol.asyncDispose]()
  })

  it.each([
    ['microphone-denied', 'The microphone is not allowed'],
    ['microphone-missing', 'There is no microphone'],
    ['sound-blocked', 'The browser holds the sound back'],
    ['unreachable', 'The server cannot be reached'],
    ['lost', 'The line was lost'],
  ])('is said in words: %s', async (trouble, title) => {
    await using studio = await openStudio()
    const { page } = studio
    await studio.goto()
    await call(studio)
    await page.evaluate(`testLine.trouble('${trouble}')`)
    await page.locator('.notice').getByText(title).waitFor()
    expect(await barriers(page)).toEqual([])
    if (trouble !== 'sound-blocked') return
    await page.getByRole('button', { name: 'Let sound out' }).click()
    await page.locator('.notice').waitFor({ state: 'detached' })
  })

  it('is a line that comes back', async () => {
    await using studio = await openStudio()
    const { page } = studio
    await studio.goto()
    await call(studio)
    await page.evaluate(`testLine.state('rejoining')`)
    await page.getByRole('status').getByText('The line is interrupted').waitFor()
    await page.evaluate(`testLine.state('live')`)
    await page.locator('.notice').waitFor({ state: 'detached' })
  })

  it('is production: nothing can be broken there', async () => {
    await using studio = await openStudio({ info: { ...info, mode: 'production' } })
    await studio.goto()
    await studio.page.getByText('production').waitFor()
    expect(await studio.page.getByText('Break something').count()).toBe(0)
  })
})

describe.each(['light', 'dark'] as const)('everybody can use it: %s', (colorScheme) => {
  it.each([
    ['wide', { width: 1360, height: 900 }],
    ['phone', { width: 390, height: 844 }],
  ])('on a %s screen', async (size, viewport) => {
    await using studio = await openStudio({
      browserOptions: { colorScheme, viewport, reducedMotion: 'reduce' },
    })
    const { page } = studio
    const found: Record<string, string[]> = {}
    const look = async (view: string): Promise<void> => {
      found[view] = await barriers(page)
      if (pictures !== undefined)
        await page.screenshot({ path: join(pictures, `${view}-${size}-${colorScheme}.png`), fullPage: true })
    }
    await studio.goto()
    await page.getByText('online').waitFor()
    await look('idle')
    await page.getByRole('button', { name: /stt close/ }).click()
    await call(studio)
    await page.getByRole('button', { name: 'Keypad' }).click()
    await askForHours(studio)
    await look('call')
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.getByRole('button', { name: 'Hang up' }).click()
    await sentence(page).getByText('stt did not close').waitFor()
    await look('ended')
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.getByRole('link', { name: 'Sessions' }).click()
    await page.getByRole('link', { name: studio.call!.session.id }).waitFor()
    await look('sessions')
    await page.getByRole('link', { name: studio.call!.session.id }).click()
    await sentence(page).waitFor()
    await look('session')
    expect(found).toEqual({ idle: [], call: [], ended: [], sessions: [], session: [] })
    expect(studio.complaints).toEqual([])
  })
})
