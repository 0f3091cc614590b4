import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeWav } from '../../src/audio/index.ts'
import { Recordings } from '../../src/host/recordings.ts'
import { Scope } from '../../src/scope/index.ts'
import { tool } from '../../src/session/index.ts'
import { callTool } from '../../src/testing/index.ts'
import { launchChromium } from '../browser/chromium.ts'
import { Stage, emitted } from '../host/stage.ts'
import { barriers } from './barriers.ts'
import { buildPage } from './build-page.ts'
import { tabTo } from './keyboard.ts'
import { Studio, info } from './studio.ts'

/** Where to write screenshots of every view, for people to look at. Default: none are written. */
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

/** Makes a call from the idle page, and waits for the greeting. */
async function call(studio: Studio): Promise<void> {
  const { page } = studio
  await page.getByRole('button', { name: /^Call/ }).click()
  await page.getByRole('log').getByText('How can I help you?').waitFor()
}

/** Turns a fault on, and waits until the host has confirmed it: a call that begins earlier may not have it. */
async function turnOn({ page }: Studio, name: RegExp): Promise<void> {
  await page.getByRole('button', { name }).click()
  await page.locator('[aria-pressed=true]').filter({ hasText: name }).waitFor()
}

/** Asks a question that starts a tool, which runs until it is cancelled. */
async function askForHours({ page }: Studio): Promise<void> {
  await page.getByLabel('Type instead of speaking').fill('When are you open?')
  await page.keyboard.press('Enter')
  await page.getByRole('log').getByText('reading the calendar').waitFor()
}

describe('a call from the page', () => {
  it('shows the conversation, the live resources, and how the session ended', async () => {
    await using studio = await openStudio()
    const { page } = studio
    await studio.goto()
    await call(studio)
    await studio.call!.caller.hears('help you')
    await askForHours(studio)

    const resources = page.getByRole('list', { name: 'Resources owned by the session' })
    await resources.getByText('openingHours', { exact: true }).waitFor()
    await resources.getByText('STT', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Hang up' }).click()
    await sentence(page)
      .getByText(/^Closed cleanly in .* \(deadline 600 ms\)\. Nothing left open\.$/)
      .waitFor()
    await page.getByText('Nothing left open.', { exact: true }).waitFor()
    const table = page.getByRole('table', { name: 'Steps of the close' })
    expect(await table.getByRole('row', { name: /^STT/ }).textContent()).toContain('closed')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('How the session ended')
    expect(studio.errors).toEqual([])
  })

  it('strikes out the words that were not heard', async () => {
    await using studio = await openStudio()
    const { page } = studio
    studio.script = { msPerCharacter: 60 }
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
    studio.script = { closeTimeout: 3_000 }
    await studio.goto()
    await turnOn(studio, /stt close hangs/)
    await call(studio)
    await page.getByRole('button', { name: 'Hang up' }).click()
    const closing = page.getByRole('region', { name: 'The session is closing' })
    const bar = closing.locator('.step.open').filter({ hasText: 'STT' }).locator('.bar')
    const width = async (): Promise<number> => (await bar.boundingBox())!.width
    await bar.waitFor()
    const clock = await page.getByRole('timer').textContent()
    const before = await width()
    await expect.poll(width, { timeout: 3_000 }).toBeGreaterThan(before * 2)
    await closing.getByText(/whatever is left will be cut off/).waitFor()
    expect(await page.getByRole('timer').textContent()).toBe(clock)
    await sentence(page).getByText('The STT did not close in time').waitFor()
    expect(await closing.count()).toBe(0)
    expect(await page.getByRole('timer').textContent()).toBe(clock)
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
    expect(download.suggestedFilename()).toBe(`session-${id}.json`)
    expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toMatchObject({ version: 1, id })

    await page.goto(await copied())
    await sentence(page).getByText('Closed cleanly').waitFor()
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
    await page.getByRole('log').getByText('reading the calendar').waitFor()
    // Tab goes round the page to the buttons above.
    await reach('button Hang up')
    await page.keyboard.press('Enter')
    await sentence(page).getByText('Closed cleanly').waitFor()
    await reach('button Copy as text')
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('copied').waitFor()
  })
})

describe('the page before a call', () => {
  it('shows an example of a close, and later the latest calls', async () => {
    await using studio = await openStudio()
    const { page, stage } = studio
    await studio.goto()
    const example = page.getByRole('region', { name: 'How a session ends: an example' })
    await example.getByRole('row', { name: /tool book/ }).waitFor()
    const { session } = stage.call({ id: 'one' })
    await session.start()
    await session.close()
    await page.getByRole('region', { name: 'Latest calls' }).getByRole('link', { name: 'one' }).waitFor()
    expect(await example.count()).toBe(0)
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
    expect(await barriers(page)).toEqual([])
  })

  it('has a volume and devices, which are remembered, and push to talk by button and by key', async () => {
    await using studio = await openStudio()
    const { page } = studio
    await studio.goto()
    await page.getByRole('button', { name: 'Sound' }).click()
    await page.getByRole('slider', { name: 'Volume of the agent' }).fill('40')
    await page.getByRole('combobox', { name: 'Microphone' }).waitFor()
    await page.getByRole('checkbox', { name: 'Push to talk' }).check()
    expect(await barriers(page)).toEqual([])
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

describe('the view of a session', () => {
  it('shows it live, and can interrupt and close it', async () => {
    await using studio = await openStudio()
    const { page, stage } = studio
    const { session } = stage.call({ id: 'one', msPerCharacter: 100 })
    await session.start()
    await studio.goto('#/sessions/one')
    const speech = session.say('A long story that somebody will want to stop before it comes to its end.')
    await page.getByText('A long story').waitFor()
    await page.getByRole('button', { name: 'Interrupt' }).click()
    await speech.waitForPlayout()
    await page.getByText(/^(interrupted|not heard)$/).waitFor()
    await page.getByRole('button', { name: 'Close now' }).click()
    await sentence(page).getByText('Closed cleanly').waitFor()
    await page.getByText('A close was requested by studio.', { exact: true }).waitFor()
  })

  it('[ST3] shows of a closed session what it showed while it was live', async () => {
    await using studio = await openStudio()
    const { page, stage } = studio
    const hours = tool({ description: 'Looks it up', run: () => ({ opens: '8:00', closes: '18:00' }) })
    const { session, caller } = stage.call({
      id: 'one',
      msPerCharacter: 20,
      answers: [['Let me see. ', callTool('hours', { day: 'Monday' })], 'We are open from eight to six.'],
      agent: {
        tools: { hours },
        guardrails: { input: { rude: (text) => (text.includes('idiot') ? 'an insult' : undefined) } },
      },
    })
    await session.start()
    await studio.goto('#/sessions/one')
    const log = page.getByRole('log')
    caller.types('When are you open?')
    await log.getByText('We are open from').waitFor()
    session.interrupt()
    await log.locator('s').waitFor()
    session.reportError('crm', new Error('no answer'))
    caller.goesAway()
    caller.comesBack()
    await log.getByText('The caller is connected again').waitFor()
    await log.getByText('crm failed: no answer').waitFor()
    const live = await log.innerText()
    await session.close()
    await sentence(page).waitFor()
    await page.reload()
    const transcript = page.getByRole('group', { name: 'Transcript' })
    await transcript.getByText('The caller is connected again').waitFor()
    expect(await transcript.innerText()).toBe(live)
    expect(live).toMatch(/Arguments and result/)
    await transcript.getByText('Arguments and result').click()
    await transcript.getByText('"closes": "18:00"').waitFor()
  })

  it('[ST4] plays the recording in step with the transcript, from the word that was clicked', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'endwell-studio-recordings-'))
    try {
      await using studio = await openStudio({ recordings: folder })
      const { page, stage } = studio
      const { session } = stage.call({
        id: 'one',
        msPerCharacter: 40,
        recording: new Recordings(folder).sink('one', 1),
      })
      await session.start()
      await session.say('Good morning, this is Bright Dental.').waitForPlayout()
      await session.close()
      await studio.goto('#/sessions/one')
      const panel = page.getByRole('region', { name: 'Recording' })
      const position = (): Promise<number> =>
        panel.getByRole('slider', { name: 'Position in the recording' }).inputValue().then(Number)
      await panel.locator('.agent path').waitFor()
      expect(await position()).toBe(0)
      await page.locator('.word').filter({ hasText: 'Bright' }).click()
      await panel.getByRole('button', { name: 'Pause' }).waitFor()
      await page
        .locator('.word.now')
        .filter({ hasText: /Bright|Dental/ })
        .waitFor()
      expect(await position()).toBeGreaterThan(700)
      await panel.getByRole('button', { name: 'Pause' }).click()
      await panel.getByRole('slider').fill('200')
      expect(await page.locator('.word.now').textContent()).toMatch(/Good|morning/)
      await page.getByRole('button', { name: 'Play from 0:00' }).first().click()
      await panel.getByRole('button', { name: 'Pause' }).waitFor()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        panel.getByRole('link', { name: 'Download' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('one.wav')
      expect(decodeWav(readFileSync(await download.path())).channels).toHaveLength(2)
      expect(await barriers(page)).toEqual([])
      expect(studio.errors).toEqual([])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('lets a person decide about a tool call that needs approval', async () => {
    await using studio = await openStudio()
    const { page, stage } = studio
    const book = tool({ description: 'Books', approval: true, run: () => 'booked' })
    const { session, caller } = stage.call({
      id: 'one',
      answers: [[callTool('book')], 'Done.', [callTool('book')], 'Very well.'],
      agent: { tools: { book } },
    })
    await session.start()
    await studio.goto('#/sessions/one')
    caller.types('Book it!')
    await page
      .getByRole('group', { name: 'Approval of book' })
      .getByRole('button', { name: 'Approve' })
      .click()
    await page.locator('.tool-call.done').getByText('approved').waitFor()
    await page.getByText('Done.').waitFor()
    caller.types('And again!')
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.locator('.tool-call.failed').getByText('not approved', { exact: true }).waitFor()
  })

  it('has a log of all events as they were sent', async () => {
    await using studio = await openStudio()
    const { page, stage } = studio
    const { session, caller } = stage.call({ id: 'one', answers: ['At eight.'] })
    await session.start()
    await studio.goto('#/sessions/one')
    caller.types('When do you open?')
    await page.getByText('At eight.').waitFor()
    await page.getByText('Event log').click()
    await page.locator('.event-log').getByLabel('Type').selectOption('user')
    await page.locator('.event-log li summary').click()
    await page.locator('.event-log pre').getByText('"text": "When do you open?"').waitFor()
    expect(await barriers(page)).toEqual([])
  })

  it('says so if the host does not have the session', async () => {
    await using studio = await openStudio()
    await studio.goto('#/sessions/nobody')
    await studio.page.getByText('Session not found.').waitFor()
  })
})

describe('the page', () => {
  it('asks for the secret of the host', async () => {
    await using studio = await openStudio({ secret: 'correct horse battery' })
    const { page } = studio
    await studio.goto()
    await page.getByLabel('Secret', { exact: true }).fill('wrong horse')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('wrong secret').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('Secret', { exact: true }).fill('correct horse battery')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Call', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Call', exact: true }).waitFor()
  })

  it('shows that the server does not respond, and reconnects', async () => {
    const studio = await openStudio()
    const { page, stage } = studio
    await page.clock.install()
    await studio.goto()
    await page.getByText('online').waitFor()
    const { port } = stage.server
    await stage.scope.close()
    await page.getByRole('alert').getByText('Server not responding').waitFor()
    // The page would retry by itself, too.
    await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 1_000)
    expect(await page.getByRole('button', { name: 'Call', exact: true }).isDisabled()).toBe(true)
    {
      await using again = await Stage.open({ port, info, scope: new Scope('again') })
      await page.getByRole('button', { name: 'Retry now' }).click()
      await page.getByText('online').waitFor()
      expect(again.server.connections).toBeGreaterThan(0)
    }
    await page.context().close()
    await studio[Symbol.asyncDispose]()
  })

  it.each([
    ['microphone-denied', 'Microphone access denied'],
    ['microphone-missing', 'No microphone found'],
    ['sound-blocked', 'Sound blocked by the browser'],
    ['unreachable', 'Server unreachable'],
    ['lost', 'Connection lost'],
  ])('explains the trouble of a call: %s', async (trouble, title) => {
    await using studio = await openStudio()
    const { page } = studio
    await studio.goto()
    await call(studio)
    await page.evaluate(`testLine.trouble('${trouble}')`)
    await page.locator('.notice').getByText(title).waitFor()
    expect(await barriers(page)).toEqual([])
    if (trouble !== 'sound-blocked') return
    await page.getByRole('button', { name: 'Turn sound on' }).click()
    await page.locator('.notice').waitFor({ state: 'detached' })
  })

  it('shows that a call is reconnecting', async () => {
    await using studio = await openStudio()
    const { page } = studio
    await studio.goto()
    await call(studio)
    await page.evaluate(`testLine.state('rejoining')`)
    await page.getByRole('status').getByText('Connection interrupted').waitFor()
    await page.evaluate(`testLine.state('live')`)
    await page.locator('.notice').waitFor({ state: 'detached' })
  })

  it('has no fault injection in production', async () => {
    await using studio = await openStudio({ info: { ...info, mode: 'production' } })
    await studio.goto()
    await studio.page.getByText('production').waitFor()
    expect(await studio.page.getByText('Fault injection').count()).toBe(0)
  })
})

describe.each(['light', 'dark'] as const)('the page in %s mode', (colorScheme) => {
  it.each([
    ['wide', { width: 1360, height: 900 }],
    ['phone', { width: 390, height: 844 }],
  ])('has no accessibility barriers on a %s screen', async (size, viewport) => {
    await using studio = await openStudio({
      browserOptions: { colorScheme, viewport },
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
    await turnOn(studio, /stt close hangs/)
    await call(studio)
    await page.getByRole('button', { name: 'Keypad' }).click()
    await askForHours(studio)
    await look('call')
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.getByRole('button', { name: 'Hang up' }).click()
    await sentence(page).getByText('The STT did not close').waitFor()
    await look('ended')
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.getByRole('link', { name: 'Sessions' }).click()
    await page.getByRole('link', { name: studio.call!.session.id }).waitFor()
    await look('sessions')
    await page.getByRole('link', { name: studio.call!.session.id }).click()
    await sentence(page).waitFor()
    await look('session')
    expect(found).toEqual({ idle: [], call: [], ended: [], sessions: [], session: [] })
    expect(studio.errors).toEqual([])
  })
})
