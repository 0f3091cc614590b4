import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { concat, encodeWav, silence } from '../../src/audio/index.ts'
import { Program } from '../cli/program.ts'
import { clip } from '../fixtures/speech.ts'
import { launchChromium } from './chromium.ts'

/** The greeting takes about four seconds; the caller waits for it, speaks, and is silent. */
const GREETING = 6_000

let browser: Browser
let program: Program
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'endwell-demo-'))
  const { samples } = clip('what are your opening hours')
  const said = concat(
    [silence(GREETING, 16_000), { samples, sampleRate: 16_000 }, silence(20_000, 16_000)],
    16_000,
  )
  const microphone = join(folder, 'caller.wav')
  writeFileSync(microphone, encodeWav([said.samples], 16_000))
  program = new Program('dev', 'examples/clinic/agent.ts', '--json', '--port', '0')
  browser = await launchChromium({ microphone })
}, 60_000)

afterAll(async () => {
  await browser?.close()
  program.signal('SIGINT')
  expect(await program.ended()).toBe(0)
  rmSync(folder, { recursive: true, force: true })
})

/** What `npm start` shows to somebody who has never heard of it. */
describe('the demo in a real browser', { timeout: 60_000 }, () => {
  it('is spoken to, answers, is hung up on in the middle of a sentence, and shows how that ended', async () => {
    const page = await (await browser.newContext()).newPage()
    await page.goto(await program.url())
    await page.getByRole('button', { name: /^Call/ }).click()
    const log = page.getByRole('log')
    await log.getByText('How can I help you?').waitFor()
    // Heard by the microphone, understood on this machine, and answered.
    await log.getByText('your opening hours').waitFor({ timeout: 30_000 })
    await log.getByText('from eight to six').waitFor()
    await page.getByRole('button', { name: 'Hang up' }).click()
    await page
      .locator('.sentence')
      .getByText(/^Ended well/)
      .waitFor()
    await page.getByText('Nothing is left.', { exact: true }).waitFor()
    await page.close()
  })

  it('ends well also when nothing of it wants to', async () => {
    const page = await (await browser.newContext()).newPage()
    await page.goto(await program.url())
    await page.getByRole('button', { name: /^Call/ }).click()
    await page.getByRole('log').getByText('How can I help you?').waitFor()
    const url = await program.url()
    const faults = { method: 'PUT', headers: { 'content-type': 'application/json', origin: url } }
    await fetch(`${url}/api/faults`, { ...faults, body: JSON.stringify({ names: ['close hangs'] }) })
    await page.getByRole('button', { name: 'Hang up' }).click()
    await page
      .locator('.sentence')
      .getByText(/hang|cut|time/i)
      .waitFor({ timeout: 20_000 })
    await fetch(`${url}/api/faults`, { ...faults, body: JSON.stringify({ names: [] }) })
    await page.close()
  })
})
