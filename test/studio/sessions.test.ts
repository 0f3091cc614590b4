import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { emitted } from '../host/stage.ts'
import { barriers } from './barriers.ts'
import { sentence } from './callers.ts'
import { studios } from './studios.ts'

const openStudio = studios()

describe('the list of sessions', () => {
  it('changes as sessions start and end, and can be filtered and searched', async () => {
    await using studio = await openStudio()
    const { page, stage } = studio
    await studio.goto('#/sessions')
    await page.getByText('No sessions yet.').waitFor()

    const first = stage.call({ id: 'first', answers: ['At eight.'] })
    await first.session.start()
    await page.getByRole('row', { name: /first/ }).getByText('live').waitFor()
    const spoken = emitted(first.session, 'spoken')
    first.caller.types('When do you open?')
    await spoken
    await first.session.close()
    await page.getByRole('row', { name: /first/ }).getByText('clean').waitFor()

    const lost = stage.call({ id: 'second' })
    await lost.session.start()
    lost.caller.vanishes()
    const second = page.getByRole('row', { name: /second/ })
    await second.getByText('The connection to the caller was lost').waitFor()

    await page.getByText('not clean', { exact: true }).first().click()
    await page.getByRole('link', { name: 'first' }).waitFor({ state: 'detached' })
    await page.getByRole('radio', { name: 'all' }).check({ force: true })
    await page.getByLabel('Search sessions').fill('do you open')
    await page.getByRole('link', { name: 'second' }).waitFor({ state: 'detached' })
    await page.getByLabel('Search sessions').fill('nothing like it')
    await page.getByText('No matching sessions.').waitFor()
    await page.getByLabel('Search sessions').fill('')

    await page.getByRole('link', { name: 'first' }).click()
    await sentence(page).getByText('Closed cleanly').waitFor()
    await page.getByText('When do you open?').waitFor()
  })
})

describe('a long list of sessions', () => {
  it('is shown in parts, can be exported, and two of its sessions can be compared', async () => {
    await using studio = await openStudio({ reports: 300 })
    const { page, stage } = studio
    const ids = Array.from({ length: 120 }, (_, index) => `s${index}`)
    for (const id of ids) stage.call({ id })
    const said = stage.call({ id: 'said', answers: ['At eight.'] })
    await said.session.start()
    const spoken = emitted(said.session, 'spoken')
    said.caller.types('When do you open?')
    await spoken
    await said.session.close()
    await studio.goto('#/sessions')
    await page.getByRole('link', { name: 'When do you open? said' }).waitFor()
    const rows = page.locator('tbody tr')
    expect(await rows.count()).toBe(50)
    await page.getByRole('button', { name: 'Show older sessions' }).click()
    await page.getByText('100 sessions').waitFor()
    await page.getByRole('button', { name: 'Show older sessions' }).click()
    await page.getByText('121 sessions').waitFor()
    await page.getByRole('link', { name: 's0', exact: false }).last().waitFor()

    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    const lines = readFileSync(await csv.path(), 'utf8')
      .trim()
      .split('\r\n')
    expect([csv.suggestedFilename(), lines.length]).toEqual(['sessions.csv', 122])

    await page.getByLabel('Compare said').check()
    await page.getByLabel('Compare s119', { exact: true }).check()
    await page.getByRole('link', { name: 'Compare' }).click()
    await page.getByRole('heading', { name: 'Comparison' }).waitFor()
    await page
      .getByRole('row', { name: /How the call ended/ })
      .getByText('A close was requested')
      .waitFor()
    await page.getByRole('group', { name: 'Transcript of said' }).getByText('When do you open?').waitFor()
    expect(await barriers(page)).toEqual([])
    expect(studio.errors).toEqual([])
  })
})
