import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { concat, encodeWav, silence } from '../../src/audio/index.ts'
import { clip } from '../fixtures/speech.ts'
import { Demo } from './demo.ts'

/** Longer than the greeting, which takes about 4 s. The caller asks, waits as long for the answer, and asks again. */
const PAUSE = 6_000

let demo: Demo
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'endwell-demo-'))
  const question = { samples: clip('what are your opening hours').samples, sampleRate: 16_000 } as const
  const { samples } = concat([silence(PAUSE, 16_000), question], 16_000)
  const microphone = join(folder, 'caller.wav')
  writeFileSync(microphone, encodeWav([samples], 16_000))
  demo = await Demo.start({ microphone, repeats: true })
})

afterAll(async () => {
  expect(await demo.stop()).toBe(0)
  rmSync(folder, { recursive: true, force: true })
})

/** What a new user sees after `npm start`: no test code runs in the page. */
describe('the demo in a real browser', () => {
  it('answers a spoken question, and shows how the session ended after a hang-up in mid-sentence', async () => {
    await using page = await demo.open()
    await page.call()
    // The microphone picks up the question, and the local models transcribe and answer it.
    await page.log.getByText('your opening hours').first().waitFor()
    await page.log.getByText('from eight to six').first().waitFor()
    await page.hangUp()
    await page.sentence.getByText(/^Closed cleanly/).waitFor()
    await page.page.getByText('Nothing left open.', { exact: true }).waitFor()
    const { turns } = await page.report()
    console.log(`turn latency: ${turns.map(({ latency }) => `${latency.toFixed(0)} ms`).join(', ')}`)
    expect(page.trouble).toEqual([])
  })
})
