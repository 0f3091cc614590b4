import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'

import { concat, encodeWav, silence } from '../../src/audio/index.ts'
import { systemClock } from '../../src/scope/index.ts'
import { PATIENCE, launchChromium } from '../../test/browser/chromium.ts'
import { clip } from '../../test/fixtures/speech.ts'
import { Program } from '../../test/program.ts'
import { decodePng, encodePng, type Shot } from './png.ts'

/** Longer than the greeting, which takes about 4 s. The caller asks again after as long. */
const PAUSE = 8_000
/** How long the last picture of an animation is shown. */
const LAST = 4_000

const schemes = ['light', 'dark'] as const

/** Calls the demo in a browser, and returns pictures of the call and of its close, by file name. */
export async function readmePictures(): Promise<ReadonlyMap<string, Buffer>> {
  const folder = mkdtempSync(join(tmpdir(), 'endwell-pictures-'))
  const microphone = join(folder, 'caller.wav')
  const question = { samples: clip('what are your opening hours').samples, sampleRate: 16_000 } as const
  writeFileSync(microphone, encodeWav([concat([silence(PAUSE, 16_000), question], 16_000).samples], 16_000))
  const pictures = new Map<string, Buffer>()
  try {
    for (const scheme of schemes) {
      const program = Program.command(['dev', 'examples/clinic/agent.ts', '--json', '--port', '0'])
      const browser = await launchChromium({ microphone, repeats: true })
      try {
        const { call, close } = await picturesOfCall(browser, await program.url(), scheme)
        pictures.set(`call-${scheme}.png`, call)
        pictures.set(`close-${scheme}.png`, close)
      } finally {
        await browser.close()
        program.signal('SIGINT')
        await program.ended()
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  return pictures
}

/** Asks a question aloud, and hangs up while connections cannot close. */
async function picturesOfCall(
  browser: Browser,
  url: string,
  colorScheme: (typeof schemes)[number],
): Promise<{ call: Buffer; close: Buffer }> {
  const context = await browser.newContext({
    colorScheme,
    viewport: { width: 1_120, height: 720 },
    permissions: ['microphone'],
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(PATIENCE)
  const page = await context.newPage()
  await page.goto(url)
  await page.getByRole('button', { name: /close hangs/ }).click()
  await page.locator('[aria-pressed=true]').filter({ hasText: 'close hangs' }).waitFor()
  await page.getByRole('button', { name: /^Call/ }).click()
  const log = page.getByRole('log')
  await log.getByText('your opening hours').first().waitFor()
  await log.getByText('from eight to six').first().waitFor()
  const call = encodePng([{ pixels: decodePng(await page.screenshot()), duration: 0 }])
  await page.getByRole('button', { name: 'Hang up' }).click()
  return { call, close: encodePng(await shotsOfClose(page)) }
}

/** Pictures of the panel that shows a close, until its report is there. Equal ones are joined. */
async function shotsOfClose(page: Page): Promise<Shot[]> {
  const panel = page.locator('.ended')
  await panel.locator('.step').first().waitFor()
  const final = page.locator('.ended:not(.closing)')
  const taken: { bytes: Buffer; at: number }[] = []
  for (let ended = false; !ended;) {
    ended = await final.isVisible()
    const box = (await panel.boundingBox())!
    const bytes = await page.screenshot({ clip: { ...box, height: Math.min(box.height, 600) } })
    if (!taken.at(-1)?.bytes.equals(bytes)) taken.push({ bytes, at: systemClock.now() })
  }
  const all = taken.map(({ bytes, at }, index) => ({
    pixels: decodePng(bytes),
    duration: (taken[index + 1]?.at ?? at + LAST) - at,
  }))
  return sameSize(all)
}

/** Adds rows of the background below pictures that are shorter than others: the report has more rows than the close. */
function sameSize(shots: readonly Shot[]): Shot[] {
  const height = Math.max(...shots.map(({ pixels }) => pixels.height))
  return shots.map(({ pixels, duration }) => {
    const colours = new Uint32Array(pixels.width * height).fill(pixels.colours[0]!)
    colours.set(pixels.colours)
    return { pixels: { ...pixels, height, colours }, duration }
  })
}
