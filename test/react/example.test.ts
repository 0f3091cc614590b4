import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../browser/chromium.ts'
import { barriers } from '../studio/barriers.ts'
import { ANSWER, GREETING, ReactStage, buildExample, type StageOptions } from './react-stage.ts'

let browser: Browser
let files: Readonly<Record<string, string>>
beforeAll(async () => {
  ;[browser, files] = await Promise.all([launchChromium(), buildExample()])
})
afterAll(() => browser.close())

const open = (options?: StageOptions): Promise<ReactStage> => ReactStage.open(browser, files, options)
const nothing = { sockets: 0, contexts: 0, tracks: 0, frames: 0 }

describe('the example in React', () => {
  it('[UI1] calls, shows what is said, and hangs up once', async () => {
    await using stage = await open({ path: '/examples/react/index.html', colorScheme: 'dark' })
    const { page } = stage
    await stage.call()
    await page.getByLabel('Type instead of speaking').fill('When do you open?')
    await page.getByRole('button', { name: 'Send' }).click()
    const log = page.getByRole('log', { name: 'Transcript' })
    await log.getByText(ANSWER).waitFor()
    expect(await log.getByRole('listitem').allInnerTexts()).toEqual([
      `Reception\n${GREETING}`,
      'You\nWhen do you open?',
      `Reception\n${ANSWER}`,
    ])
    expect(await barriers(page)).toEqual([])
    await stage.button('Hang up').click()
    await page.getByText('The call has ended').waitFor()
    expect(await stage.report()).toMatchObject({ reason: 'caller-hung-up', clean: true })
    expect(await stage.left()).toEqual(nothing)
    expect(stage.trouble).toEqual([])
  })

  it('[UI1] can be used by keyboard alone: the button keeps the focus, and a second call follows the first', async () => {
    await using stage = await open({ viewport: { width: 390, height: 844 } })
    const { page } = stage
    for (const calls of [1, 2]) {
      await stage.button('Call').focus()
      await page.keyboard.press('Enter')
      await page.getByText(GREETING).waitFor()
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Hang up')
      await page.keyboard.press('Enter')
      await stage.report()
      await stage.button('Call').waitFor()
      expect(stage.reports).toHaveLength(calls)
    }
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(await barriers(page)).toEqual([])
    expect(await stage.left()).toEqual(nothing)
    expect(stage.trouble).toEqual([])
  })

  it('[UI2] ends its call when it is unmounted, once, and leaves nothing open', async () => {
    await using stage = await open()
    await stage.call()
    expect(await stage.left()).toEqual({ sockets: 1, contexts: expect.any(Number), tracks: 1, frames: 2 })
    await stage.page.evaluate(`dispatchEvent(new Event('unmount'))`)
    expect(await stage.report()).toMatchObject({ reason: 'caller-hung-up', clean: true })
    await expect.poll(() => stage.left()).toEqual(nothing)
    await stage.page.evaluate(`dispatchEvent(new Event('mount'))`)
    await stage.call()
    expect(stage.sessions).toHaveLength(2)
    expect(stage.reports).toHaveLength(1)
    expect(stage.trouble).toEqual([])
  })

  it('[UI2] ends its call when the page is left, without a wait for the page to come back', async () => {
    await using stage = await open()
    await stage.call()
    await stage.page.goto('about:blank')
    expect(await stage.report()).toMatchObject({ reason: 'caller-hung-up', clean: true })
  })

  it('[UI1] tells the caller why a call could not be made', async () => {
    await using stage = await open({ maxCalls: 1 })
    await stage.call()
    const other = await stage.page.context().newPage()
    await other.goto(stage.page.url())
    await other.getByRole('button', { name: 'Call', exact: true }).click()
    expect(await other.getByRole('alert').innerText()).toBe('All lines are busy. Try again later.')
    expect(await barriers(other)).toEqual([])
  })
})
