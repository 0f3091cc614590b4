import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { decodeWav } from '../../src/audio/index.ts'
import { Recordings } from '../../src/host/recordings.ts'
import { tool } from '../../src/session/index.ts'
import { callTool } from '../../src/testing/index.ts'
import { barriers } from './barriers.ts'
import { sentence } from './callers.ts'
import { studios } from './studios.ts'

const openStudio = studios()

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
    await page.getByText('The call was ended on request by studio.', { exact: true }).waitFor()
  })

  it('[ST3] shows of a closed session what it showed while it was live', async () => {
    await using studio = await openStudio()
    const { page, stage } = studio
    const hours = tool({ description: 'Looks it up', run: () => ({ opens: '8:00', closes: '18:00' }) })
    const { session, caller } = stage.call({
      id: 'one',
      msPerCharacter: 20,
      // Long, so that it is interrupted before its end even if the machine is busy.
      answers: [
        ['Let me see. ', callTool('hours', { day: 'Monday' })],
        `We are open from eight to six. ${'Every day of the week. '.repeat(50)}`,
      ],
      agent: {
        tools: { hours },
        guardrails: { input: { rude: (text) => (text.includes('idiot') ? 'an insult' : undefined) } },
      },
    })
    await session.start()
    await studio.goto('#/sessions/one')
    const log = page.getByRole('log')
    caller.types('When are you open?')
    await caller.hears('We are open from')
    session.interrupt()
    await log.locator('s').waitFor()
    session.reportError('crm', new Error('no answer'))
    caller.goesAway()
    caller.comesBack()
    await log.getByText('The caller is connected again').waitFor()
    await log.getByText('The crm failed: no answer').waitFor()
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
    await page.locator('.tool-call.stopped').getByText('not approved', { exact: true }).waitFor()
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
    await studio.page.getByRole('heading', { name: 'Call not found' }).waitFor()
  })
})
