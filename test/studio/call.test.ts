import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { askForHours, call, sentence, turnOn } from './callers.ts'
import { studios } from './studios.ts'

const openStudio = studios()

describe('a call from the page', () => {
  it('shows the conversation, the live resources, and how the session ended', async () => {
    await using studio = await openStudio()
    const { page } = studio
    await studio.goto()
    await call(studio)
    await studio.call!.caller.hears('help you')
    await askForHours(studio)

    const resources = page.getByRole('group', { name: 'Resources owned by the call' })
    await resources.getByText('tool openingHours', { exact: true }).waitFor()
    await resources.getByText('STT', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Hang up' }).click()
    await sentence(page)
      .getByText(/^Closed cleanly in .* \(deadline 600 ms\)\. Nothing left open\.$/)
      .waitFor()
    await page.getByText('Nothing left open.', { exact: true }).waitFor()
    const table = page.getByRole('table', { name: 'Steps of the close' })
    expect(await table.getByRole('row', { name: /^STT/ }).textContent()).toContain('closed')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('How the call ended')
    expect(studio.errors).toEqual([])
  })

  it('strikes out the words that were not heard', async () => {
    await using studio = await openStudio()
    const { page } = studio
    // Long, so that the caller hangs up before its end even if the machine is busy.
    const greeting = `Bright Dental, good morning! ${'How can I help you? '.repeat(50)}`
    studio.script = { msPerCharacter: 60, agent: { onEnter: ({ session }) => session.say(greeting) } }
    await studio.goto()
    await call(studio)
    await studio.call!.caller.hears('Dental')
    await page.getByRole('button', { name: 'Hang up' }).click()
    const cut = page.locator('.entry.agent')
    await cut.getByText('interrupted').waitFor()
    expect(await cut.locator('s').textContent()).toContain('How can I help you?')
    expect(await cut.locator('.words').textContent()).toMatch(/^Bright.* \(not heard: /)
  })

  it('closes in spite of faults, and names what went wrong', async () => {
    await using studio = await openStudio()
    const { page } = studio
    await studio.goto()
    await turnOn(studio, /tool ignores/)
    await turnOn(studio, /stt close hangs/)
    await call(studio)
    await askForHours(studio)
    await page.getByRole('button', { name: 'Hang up' }).click()
    await sentence(page)
      .getByText(/^The tool openingHours did not stop when it was asked, and was abandoned/)
      .waitFor()
    await page.getByText(/^The STT did not close in time, and was cut off/).waitFor()
    await page.getByText('2 resources did not end cleanly.').waitFor()
    const rows = page.getByRole('table').getByRole('row')
    expect(await rows.filter({ hasText: 'did not stop' }).textContent()).toContain('openingHours')
    expect(await rows.filter({ hasText: 'cut off' }).textContent()).toContain('STT')
  })

  it('[ST1] shows how the close goes on until its deadline, and stops the clock when the caller hangs up', async () => {
    await using studio = await openStudio()
    const { page } = studio
    studio.script = { closeTimeout: 45_000 }
    await page.clock.install()
    await studio.goto()
    await turnOn(studio, /stt close hangs/)
    await call(studio)
    await page.getByRole('button', { name: 'Hang up' }).click()
    const closing = page.getByRole('region', { name: 'The call is closing' })
    const bar = closing.locator('.step.open').filter({ hasText: 'STT' }).locator('.bar')
    const width = async (): Promise<number> => (await bar.boundingBox())!.width
    await bar.waitFor()
    const clock = await page.getByRole('timer').textContent()
    const axis = (await closing.locator('.axis .track').boundingBox())!.width
    expect(await width()).toBeLessThan(axis * 0.4)
    // In the page, most of the time until the deadline passes at once.
    await page.clock.fastForward(30_000)
    await expect.poll(width).toBeGreaterThan(axis * 0.6)
    await closing.getByText(/Whatever is left will be cut off in 1?\d(\.\d+)? s/).waitFor()
    expect(await page.getByRole('timer').textContent()).toBe(clock)
    const top = (): Promise<unknown> =>
      page.evaluate(`document.querySelector('.waterfall').getBoundingClientRect().top + scrollY`)
    const before = await top()
    await studio.call!.session.close({ closeTimeout: 50 })
    await sentence(page).getByText('The STT did not close in time').waitFor()
    expect(await closing.count()).toBe(0)
    expect(await page.getByRole('timer').textContent()).toBe(clock)
    // The steps are still where they were.
    expect(await top()).toBe(before)
  })

  it('has fault switches that stay where they are, can be turned off together, and are named in the report', async () => {
    await using studio = await openStudio()
    const { page } = studio
    await studio.goto()
    await turnOn(studio, /stt close hangs/)
    await turnOn(studio, /exit hook throws/)
    await page.getByText('2 faults are on: stt close hangs, exit hook throws').waitFor()
    const place = (): Promise<unknown> =>
      page.evaluate(`document.querySelector('.faults li:last-child').getBoundingClientRect().top + scrollY`)
    const before = await place()
    await call(studio)
    await askForHours(studio)
    expect(await place()).toEqual(before)
    await page.getByRole('button', { name: 'All off' }).click()
    await page.locator('.all-off:disabled').waitFor()
    expect(await page.locator('.fault.on').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'All off' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Hang up' }).click()
    await page.getByText('Faults that were on: stt close hangs, exit hook throws').waitFor()
    await page.getByRole('button', { name: 'Copy as text' }).click()
    await page.getByRole('status').getByText('Report copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
      'faults that were on: stt close hangs, exit hook throws',
    )
  })

  it('offers its report as text, as a file and as a link', async () => {
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
    expect(download.suggestedFilename()).toBe(`call-${id}.json`)
    expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toMatchObject({ version: 1, id })

    await page.goto(await copied())
    await sentence(page).getByText('Closed cleanly').waitFor()
  })
})

describe('the sound of a call', () => {
  it('is shown for both sides, and a muted microphone cannot be overlooked', async () => {
    await using studio = await openStudio()
    const { page } = studio
    await studio.goto()
    await call(studio)
    await page.evaluate('testLine.level(0.3), testLine.agentLevel(0.1)')
    const level = (name: string) => async () =>
      Number(await page.getByRole('meter', { name }).getAttribute('aria-valuenow'))
    await expect.poll(level('Microphone level')).toBeGreaterThan(50)
    await expect.poll(level('Level of the agent')).toBeGreaterThan(50)
    await page.getByRole('button', { name: 'Mute' }).click()
    await page.getByRole('status').getByText('You are muted. The agent cannot hear you.').waitFor()
    await expect.poll(level('Microphone level')).toBe(0)
    expect(await page.evaluate('testSound.muted')).toBe(true)
  })

  it('has a volume and devices, which are remembered, and push to talk by button and by key', async () => {
    await using studio = await openStudio()
    const { page } = studio
    await studio.goto()
    await page.getByRole('button', { name: 'Sound' }).click()
    await page.getByRole('slider', { name: 'Volume of the agent' }).fill('40')
    await page.getByRole('combobox', { name: 'Microphone' }).waitFor()
    await page.getByRole('checkbox', { name: 'Push to talk' }).check()
    await page.reload()
    await call(studio)
    const sound = (): Promise<unknown> => page.evaluate('[testSound.volume, testSound.muted]')
    expect(await sound()).toEqual([0.4, true])
    await page.getByText('Hold the button or the space bar to talk.').waitFor()
    await page.locator('main').focus()
    await page.keyboard.down('Space')
    await page.getByRole('button', { name: 'Talking…' }).waitFor()
    expect(await sound()).toEqual([0.4, false])
    await page.keyboard.up('Space')
    await page.getByRole('button', { name: 'Hold to talk' }).hover()
    expect(await sound()).toEqual([0.4, true])
    await page.mouse.down()
    expect(await sound()).toEqual([0.4, false])
    await page.mouse.up()
    expect(await sound()).toEqual([0.4, true])
    await page.getByLabel('Type instead of speaking').fill('two words')
    await page.keyboard.press('Space')
    expect(await page.getByLabel('Type instead of speaking').inputValue()).toBe('two words ')
    expect(await sound()).toEqual([0.4, true])
  })
})

describe('the page before a call', () => {
  it('shows an example of a close, and later the latest calls', async () => {
    await using studio = await openStudio()
    const { page, stage } = studio
    await studio.goto()
    const example = page.getByRole('region', { name: 'How a call ends: an example' })
    await example.getByRole('row', { name: /tool book/ }).waitFor()
    const { session } = stage.call({ id: 'one' })
    await session.start()
    await session.close()
    await page.getByRole('region', { name: 'Latest calls' }).getByRole('link', { name: 'one' }).waitFor()
    expect(await example.count()).toBe(0)
  })
})
