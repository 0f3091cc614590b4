import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Recordings } from '../../src/host/recordings.ts'
import { barriers } from './barriers.ts'
import { askForHours, call, sentence, turnOn } from './callers.ts'
import { looks, pictures } from './looks.ts'
import { studios } from './studios.ts'

const openStudio = studios()
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'endwell-studio-looks-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

describe('the page', () => {
  it.each(looks)('has no accessibility barriers in any view: %s, %s', async (colorScheme, size, viewport) => {
    await using studio = await openStudio({
      recordings: folder,
      browserOptions: { colorScheme, viewport },
    })
    const { page } = studio
    const found: Record<string, unknown> = {}
    const look = async (view: string): Promise<void> => {
      found[view] = await barriers(page)
      const fits = await page.evaluate('document.documentElement.scrollWidth <= innerWidth')
      if (fits !== true) found[view] = 'it is wider than the screen'
      if (pictures !== undefined)
        await page.screenshot({ path: join(pictures, `${view}-${size}-${colorScheme}.png`), fullPage: true })
    }
    const record = (): void => {
      const name = `${size}-${colorScheme}-${Object.keys(found).length}`
      studio.script = { closeTimeout: 4_000, recording: new Recordings(folder).sink(name, 1) }
    }
    const hangUp = (): Promise<void> => page.getByRole('button', { name: 'Hang up' }).click()

    await studio.goto()
    await page.getByText('online').waitFor()
    await look('first')
    await turnOn(studio, /stt close hangs/)
    record()
    await call(studio)
    await studio.call!.caller.hears('good morning')
    await page.evaluate('testLine.level(0.2), testLine.agentLevel(0.1)')
    await askForHours(studio)
    await look('call')
    await page.getByRole('button', { name: 'Keypad' }).click()
    await page.getByRole('button', { name: 'Sound' }).click()
    await page.getByRole('button', { name: 'Mute' }).click()
    await look('muted')
    await hangUp()
    await page.locator('.ended.closing .step.open').first().waitFor()
    await look('closing')
    await sentence(page).getByText('The STT did not close').waitFor()
    await page.locator('.waveform').waitFor()
    await look('ended')
    const first = studio.call!.session.id

    await page.getByRole('button', { name: 'All off' }).click()
    await page.locator('.all-off:disabled').waitFor()
    record()
    await call(studio)
    await studio.call!.caller.hears('help you')
    await hangUp()
    await sentence(page).getByText('Closed cleanly').waitFor()
    const second = studio.call!.session.id
    await page.getByRole('link', { name: 'Calls', exact: true }).click()
    await page.getByRole('link', { name: first }).waitFor()
    await look('sessions')
    await page.getByRole('link', { name: second }).click()
    await page.locator('.waveform').waitFor()
    await page.getByText('Event log').click()
    await look('session')
    await studio.goto(`#/compare/${first}/${second}`)
    await page.getByRole('row', { name: /Close time/ }).waitFor()
    await page
      .getByRole('group', { name: `Transcript of ${first}` })
      .getByText('When are you open?')
      .waitFor()
    await look('comparison')
    expect(found).toEqual({
      first: [],
      call: [],
      muted: [],
      closing: [],
      ended: [],
      sessions: [],
      session: [],
      comparison: [],
    })
    expect(studio.errors).toEqual([])
  })
})
