import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { barriers } from '../studio/barriers.ts'
import { tabTo } from '../studio/keyboard.ts'
import { Demo } from './demo.ts'

/** Where to write screenshots of every view of the demo, for people to look at. Default: none are written. */
const pictures = process.env['STUDIO_PICTURES']

const wide = { width: 1360, height: 900 }
const phone = { width: 390, height: 844 }

/** One look is checked: test/studio/looks.test.ts has the same views in each mode and each size. Screenshots are taken of all. */
const looks = [
  { size: 'phone', viewport: phone, colorScheme: 'dark' },
  ...(pictures === undefined
    ? []
    : ([
        { size: 'wide', viewport: wide, colorScheme: 'light' },
        { size: 'wide', viewport: wide, colorScheme: 'dark' },
        { size: 'phone', viewport: phone, colorScheme: 'light' },
      ] as const)),
] as const

let demo: Demo

beforeAll(async () => {
  demo = await Demo.start()
  if (pictures !== undefined) mkdirSync(pictures, { recursive: true })
})

afterAll(async () => {
  const truth = await demo.truth()
  expect(await demo.stop()).toBe(truth)
})

describe('the studio of the demo, in a real browser', () => {
  it('lists sessions as they start and end, filters and searches them, and opens a report by its link', async () => {
    await using list = await demo.open({ url: `${demo.url}/#/sessions` })
    await using caller = await demo.open({ room: {}, ears: true })
    await list.page.getByText('No calls yet.').waitFor()

    await caller.call()
    const good = caller.session
    const row = (id: string) => list.page.getByRole('row').filter({ hasText: id })
    await row(good).getByText('live', { exact: true }).waitFor()
    await list.page.getByRole('link', { name: 'Calls 1 live' }).waitFor()
    await caller.type('when are you open')
    await caller.log.getByText('from eight to six').waitFor()
    await caller.hangUp()
    await row(good).getByText('clean', { exact: true }).waitFor()
    await row(good).getByText('The caller hung up').waitFor()

    await demo.setFaults(['close throws'])
    await caller.sentence.waitFor()
    await caller.call()
    const bad = caller.session
    await caller.hangUp()
    await row(bad).getByText('not clean', { exact: true }).waitFor()
    await demo.setFaults([])

    const { page } = list
    const filter = (name: string) => page.getByRole('radio', { name, exact: true }).check({ force: true })
    await filter('went wrong')
    await row(good).waitFor({ state: 'detached' })
    await filter('clean')
    await row(bad).waitFor({ state: 'detached' })
    await row(good).waitFor()
    await filter('live')
    await page.getByText('No matching calls.').waitFor()
    await filter('all')
    await row(bad).waitFor()
    await page.getByLabel('Search calls').fill('when are you open')
    await row(bad).waitFor({ state: 'detached' })
    await row(good).waitFor()
    await page.getByLabel('Search calls').fill('')

    await page.getByRole('link', { name: bad }).click()
    await list.button('Copy link').click()
    await page.getByRole('status').getByText('Link copied').waitFor()
    const link = await list.run<string>('navigator.clipboard.readText()')
    expect(link).toBe(`${demo.url}/#/sessions/${bad}`)
    await using other = await demo.open({ url: link })
    await other.sentence.getByText('injected fault').waitFor()
    await other.goto(`${demo.url}/#/sessions/${good}`)
    await other.sentence.getByText(/^Closed cleanly/).waitFor()
    await other.page.getByRole('heading', { name: 'when are you open' }).waitFor()
    expect([...list.trouble, ...caller.trouble, ...other.trouble]).toEqual([])
  })

  it('can make a call and open its report with the keyboard alone', async () => {
    await using caller = await demo.open({ room: {}, ears: true })
    const { page, log } = caller
    const press = async (name: string): Promise<void> => {
      await tabTo(page, name)
      await page.keyboard.press('Enter')
    }
    await page.getByRole('button', { name: 'Call', exact: true, disabled: false }).waitFor()
    await press('button Call')
    await log.getByText('How can I help you?').waitFor()
    await tabTo(page, 'button Mute')
    await page.keyboard.press('Space')
    await caller.button('Unmute').waitFor()
    await press('button Keypad')
    await press('button 5')
    await press('button hash')
    await page.getByRole('group', { name: 'Keypad' }).getByText('5#').waitFor()
    await tabTo(page, 'input Type instead of speaking')
    await page.keyboard.type('when are you open')
    await page.keyboard.press('Enter')
    await log.getByText('from eight to six').waitFor()
    await press('button Hang up')
    await caller.sentence.getByText(/^Closed cleanly/).waitFor()
    // Screen readers continue at the report.
    expect(await caller.run('document.activeElement.textContent')).toBe('How the call ended')
    await press('button Copy as text')
    await page.getByRole('status').getByText('copied').waitFor()
    expect(await caller.run<string>('navigator.clipboard.readText()')).toContain('caller-hung-up')
    await press('a Calls')
    await page.getByRole('heading', { name: 'Calls' }).waitFor()
    expect(caller.trouble).toEqual([])
  })

  // Faults affect all calls, and a screenshot must show only its own.
  const each = pictures === undefined ? it.concurrent.each(looks) : it.each(looks)

  each('has no accessibility barriers on a $size screen in $colorScheme mode', async (look) => {
    const { size, ...context } = look
    await using caller = await demo.open({ room: {}, ears: true, ...context })
    const { page, log } = caller
    const found: Record<string, readonly string[]> = {}
    const check = async (view: string): Promise<void> => {
      found[view] = await barriers(page)
      expect(await caller.run('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      if (pictures === undefined) return
      const path = join(pictures, `demo-${view}-${size}-${look.colorScheme}.png`)
      await page.screenshot({ path, fullPage: true })
    }
    await page.getByText('online').waitFor()
    await check('idle')
    await caller.call()
    await caller.type('when are you open')
    await log.getByText('from eight to six').waitFor()
    await caller.type('book an appointment on Monday at ten')
    await log.locator('.tool-call').waitFor()
    await caller.button('Keypad').click()
    await check('call')
    await demo.setFaults(['close hangs'])
    await caller.hangUp()
    await caller.sentence.waitFor()
    await check('ended')
    await demo.setFaults([])
    await page.getByRole('link', { name: 'Calls', exact: true }).click()
    await page.getByRole('link', { name: caller.session }).waitFor()
    await check('sessions')
    await page.getByRole('link', { name: caller.session }).click()
    await caller.sentence.waitFor()
    await check('session')
    expect(found).toEqual({ idle: [], call: [], ended: [], sessions: [], session: [] })
    expect(caller.trouble).toEqual([])
  })
})
