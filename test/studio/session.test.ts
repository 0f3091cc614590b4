import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { decodeWav } from '../../src/audio/index.ts'
import { Recordings } from '../../src/host/recordings.ts'
import type { LlmChunk } from '../../src/parts/index.ts'
import { tool } from '../../src/session/index.ts'
import { callTool } from '../../src/testing/index.ts'
import { emitted, type StageCall } from '../host/stage.ts'
import { sentence } from './callers.ts'
import type { Studio } from './studio.ts'
import { studios } from './studios.ts'

const openStudio = studios()

const usage = (inputTokens: number): LlmChunk => ({ type: 'usage', usage: { inputTokens, outputTokens: 20 } })

/** Starts a call with answers that take a while, and prices for one of its two models. */
async function aSlowCall({ stage }: Studio): Promise<StageCall> {
  const call = stage.call({
    id: 'slow',
    // Longer than anything else takes on a busy machine: the model is the slowest stage.
    thinksFor: 1_000,
    answers: [
      ['At eight.', usage(900)],
      ['On Monday.', usage(1_100)],
    ],
    prices: { llm: { inputTokens: 0.000_01, outputTokens: 0.000_1 } },
    priceList: { currency: 'USD', products: {} },
  })
  await call.session.start()
  return call
}

async function ask({ session, caller }: StageCall, text: string): Promise<void> {
  const known = emitted(session, 'latency')
  caller.types(text)
  await known
}

describe('the response times of a call', () => {
  it('[LT1] [CL15] are shown by stage, live and afterwards, with what the call costs', async () => {
    await using studio = await openStudio()
    const { page } = studio
    const call = await aSlowCall(studio)
    await studio.goto('#/sessions/slow')
    const panel = page.getByRole('region', { name: 'Response time' })
    await panel.getByText('How long the caller waits for each answer').waitFor()
    await ask(call, 'When do you open?')
    await panel.getByRole('heading', { name: /^Turn 1: [\d.]+ m?s, (fast|noticeable|slow)$/ }).waitFor()
    await ask(call, 'And on which day?')
    // The stages of the latest turn, until another one is chosen.
    await panel.getByRole('heading', { name: /^Turn 2: / }).waitFor()
    await panel.getByText(/^Slowest stage: Model, \d+ % of the time$/).waitFor()
    const turns = panel.getByRole('slider', { name: 'Turn' })
    await turns.focus()
    await page.keyboard.press('ArrowLeft')
    await panel.getByRole('heading', { name: /^Turn 1: / }).waitFor()
    expect(await turns.getAttribute('aria-valuetext')).toMatch(/^Turn 1 of 2: [\d.]+ m?s, \w+$/)
    const stages = panel.locator('.latency-turn li')
    expect(await stages.locator('b').allTextContents()).toHaveLength(3)
    expect(await stages.first().textContent()).toMatch(/^Model, until .*: [\d.]+ m?s, the longest stage$/)
    // The response time is beside each answer, too.
    await page.getByRole('log').locator('.waited').nth(1).waitFor()
    // 2,000 tokens in and 40 out. The voice has no price, which is not a price of 0.
    const cost = page.getByRole('region', { name: 'Cost' })
    await cost.getByText('$0.0240 without tts').waitFor()
    await cost.getByText('2,000 tokens in · 40 tokens out').waitFor()
    await cost.getByText('no price known').waitFor()

    await call.session.close()
    await page.getByRole('heading', { name: 'How the call ended' }).waitFor()
    await page.goto('about:blank')
    await studio.goto('#/sessions/slow')
    await panel.getByRole('heading', { name: /^Turn 2: [\d.]+ m?s, (fast|noticeable|slow)$/ }).waitFor()
    await cost.getByText('$0.0240 without tts').waitFor()
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
    await page.getByRole('heading', { name: 'Book it!' }).waitFor()
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
  })

  it('fits on a phone, however long the call and its words are', async () => {
    await using studio = await openStudio({ browserOptions: { viewport: { width: 390, height: 844 } } })
    const { page, stage } = studio
    const word = 'Donaudampfschifffahrtsgesellschaft'.repeat(5)
    const id = 'x'.repeat(80)
    const turns = Array.from({ length: 150 }, (_, index) => `${word}${index}`)
    const call = stage.call({ id, answers: turns, msPerCharacter: 0.1 })
    await call.session.start()
    call.session.reportError(word, new Error(word))
    for (const each of turns) await ask(call, each)
    const views = {
      '#/sessions': 'tbody tr',
      [`#/sessions/${id}`]: '.latency-chart',
      [`#/compare/${id}/${id}`]: '.comparison .entry',
    }
    for (const [view, part] of Object.entries(views)) {
      await studio.goto(view)
      await page.locator(part).first().waitFor()
      expect([view, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([view, 390])
    }
  })

  it('says so if the host does not have the session', async () => {
    await using studio = await openStudio()
    await studio.goto('#/sessions/nobody')
    await studio.page.getByRole('heading', { name: 'Call not found' }).waitFor()
  })
})
