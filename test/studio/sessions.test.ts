import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tool } from '../../src/session/index.ts'
import { callTool } from '../../src/testing/index.ts'
import { emitted } from '../host/stage.ts'
import { sentence } from './callers.ts'
import { studios } from './studios.ts'

const openStudio = studios()

describe('the list of sessions', () => {
  it('changes as sessions start and end, and can be filtered and searched', async () => {
    await using studio = await openStudio()
    const { page, stage } = studio
    await studio.goto('#/sessions')
    await page.getByText('No calls yet.').waitFor()

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

    await page.getByText('went wrong', { exact: true }).click()
    await page.getByRole('link', { name: 'first' }).waitFor({ state: 'detached' })
    await page.getByRole('radio', { name: 'all' }).check({ force: true })
    await page.getByLabel('Search calls').fill('do you open')
    await page.getByRole('link', { name: 'second' }).waitFor({ state: 'detached' })
    await page.getByLabel('Search calls').fill('nothing like it')
    await page.getByText('No matching calls.').waitFor()
    await page.getByLabel('Search calls').fill('')

    await page.getByRole('link', { name: 'first' }).click()
    await sentence(page).getByText('Closed cleanly').waitFor()
    await page.getByRole('group', { name: 'Transcript' }).getByText('When do you open?').waitFor()
  })
})

describe('the list of calls', () => {
  it('[ST5] finds what went wrong, sorts by response time and cost, and has its state in the address', async () => {
    await using studio = await openStudio()
    const { page, stage } = studio
    const fails = (): never => {
      throw new Error('the calendar is away')
    }
    const make = async (id: string, options: Parameters<typeof stage.call>[0]): Promise<void> => {
      const { session, caller } = stage.call({
        id,
        ...options,
        prices: { tts: { characters: 0.01 } },
        priceList: { currency: 'USD', products: {} },
      })
      await session.start()
      const known = emitted(session, 'latency')
      caller.types(`Hello from ${id}`)
      await known
      await session.close()
    }
    await make('quick', { answers: ['Yes.'] })
    await make('dear', { answers: ['This is a long answer, and it costs a lot.'], thinksFor: 400 })
    await make('failed', {
      answers: [['Yes. ', callTool('book')], 'No.'],
      agent: { tools: { book: tool({ description: 'Books', run: fails }) } },
      thinksFor: 50,
    })
    await studio.goto('#/sessions')
    const row = (id: string) => page.getByRole('row', { name: new RegExp(`Hello from ${id}`) })
    await row('failed').getByText('tool failed', { exact: true }).waitFor()
    await row('failed').getByText('The tool book failed').waitFor()
    await row('dear')
      .getByText(/^\$0\.\d{4}$/)
      .waitFor()
    const first = page.locator('tbody tr').first()
    await page.getByLabel('Order').selectOption('Slowest answers first')
    await first.getByText('Hello from dear').waitFor()
    await page.getByLabel('Order').selectOption('Dearest first')
    await first.getByText('Hello from dear').waitFor()
    await page.getByRole('radio', { name: 'went wrong' }).check({ force: true })
    await row('dear').waitFor({ state: 'detached' })
    expect(await page.locator('.list-summary').innerText()).toMatch(/Calls\s1\s.*Went wrong\s1\s/s)

    // The address has the state. It is still there after a call was opened.
    expect(page.url()).toMatch(/#\/sessions\?filter=went\+wrong&sort=dearest$/)
    await row('failed').getByRole('link').click()
    await page.getByText('The tool book failed: the calendar is away.').waitFor()
    await page.getByRole('link', { name: 'Calls' }).last().click()
    await row('failed').waitFor()
    await row('dear').waitFor({ state: 'detached' })
    await page.getByLabel('Period').selectOption('Last 24 hours')
    await row('failed').waitFor()
    await page.getByLabel('Search calls').fill('nothing like it')
    await page.getByRole('button', { name: 'Show all calls' }).click()
    await row('dear').waitFor()
    expect(studio.errors).toEqual([])
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
    // Also those that are not shown yet.
    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    const lines = readFileSync(await csv.path(), 'utf8')
      .trim()
      .split('\r\n')
    expect([csv.suggestedFilename(), lines.length]).toEqual(['calls.csv', 122])

    const rows = page.locator('tbody tr')
    expect(await rows.count()).toBe(50)
    await page.getByRole('button', { name: 'Show more calls' }).click()
    await page.getByText('100 calls').waitFor()
    await page.getByRole('button', { name: 'Show more calls' }).click()
    await page.getByText('121 calls').waitFor()
    await page.getByRole('link', { name: 's0', exact: false }).last().waitFor()

    await page.getByLabel('Compare said').check()
    await page.getByLabel('Compare s119', { exact: true }).check()
    await page.getByRole('link', { name: 'Compare' }).click()
    await page.getByRole('heading', { name: 'Comparison of two calls' }).waitFor()
    await page
      .getByRole('row', { name: /How it ended/ })
      .getByText('The call was ended on request')
      .waitFor()
    await page.getByRole('group', { name: 'Transcript of said' }).getByText('When do you open?').waitFor()
    expect(studio.errors).toEqual([])
  })
})
