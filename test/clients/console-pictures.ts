import type { Browser, BrowserContext } from 'playwright-core'
import { bytesFromSamples } from '../../src/audio/index.ts'
import { decodePng, encodePng } from '../../tools/pictures/png.ts'
import { buildPages } from '../browser/build-pages.ts'
import { PATIENCE, PageServer, launchChromium } from '../browser/chromium.ts'
import { earsScript } from '../browser/ears-script.ts'
import { clip } from '../fixtures/speech.ts'
import { Program } from '../program.ts'

/** Shows the latest events. */
const scrollToEnd = `for (const each of document.querySelectorAll('*'))
  if (each.scrollHeight > each.clientHeight && each.textContent.includes('transportState')) each.scrollTo(0, each.scrollHeight)`

const schemes = ['light', 'dark'] as const

/** Calls the demo with the console of Pipecat's Voice UI Kit, asks a question aloud, and returns pictures by file name. */
export async function consolePictures(): Promise<ReadonlyMap<string, Buffer>> {
  const host = Program.command([
    'dev',
    'test/fixtures/agents/clients.ts',
    '--model',
    'local',
    '--json',
    '--port',
    '0',
  ])
  const [url, browser, files, ears] = await Promise.all([
    host.url(),
    launchChromium(),
    buildPages(['test/clients/console/console.html']),
    earsScript(),
  ])
  const server = await PageServer.listen({ files })
  const address = `${server.url}/test/clients/console/console.html?host=${url}`
  try {
    const pictures = new Map<string, Buffer>()
    for (const scheme of schemes)
      pictures.set(`console-${scheme}.png`, await pictureOf(browser, address, ears, scheme))
    await callOverWebRtc(browser, address, ears)
    return pictures
  } finally {
    await browser.close()
    await server.close()
    host.signal('SIGTERM')
    await host.ended()
  }
}

async function pictureOf(
  browser: Browser,
  address: string,
  ears: string,
  colorScheme: (typeof schemes)[number],
): Promise<Buffer> {
  await using context = await contextFor(browser, ears, colorScheme)
  const page = await context.newPage()
  // In the middle of the answer: its first words were heard.
  const heard = new Promise<void>((resolve) => {
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (payload.includes('"accumulated_text":"We are open from eight')) resolve()
      }),
    )
  })
  await page.goto(address)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByText('How can I help you?').first().waitFor()
  await page.evaluate('ears.silent(300)')
  const question = Buffer.from(bytesFromSamples(clip('what are your opening hours').samples))
  await page.evaluate(`ears.say('${question.toString('base64')}')`)
  await heard
  await page.evaluate(scrollToEnd)
  const picture = await page.screenshot()
  await page.getByRole('button', { name: 'Disconnect', exact: true }).click()
  return encodePng([{ pixels: decodePng(picture), duration: 0 }])
}

/** Calls with the same console over WebRTC, which must show what the agent says. */
async function callOverWebRtc(browser: Browser, address: string, ears: string): Promise<void> {
  await using context = await contextFor(browser, ears)
  const page = await context.newPage()
  await page.goto(`${address}&transport=smallwebrtc`)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByText('How can I help you?').first().waitFor()
  await page.evaluate('ears.sounded(500)')
  await page.getByRole('button', { name: 'Disconnect', exact: true }).click()
  await page.getByRole('button', { name: 'Connect', exact: true }).waitFor()
}

async function contextFor(
  browser: Browser,
  ears: string,
  colorScheme: (typeof schemes)[number] = 'light',
): Promise<BrowserContext> {
  const context = await browser.newContext({
    colorScheme,
    viewport: { width: 1_120, height: 720 },
    permissions: ['microphone'],
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(PATIENCE)
  await context.addInitScript(ears)
  await context.addInitScript('ears.becomeMicrophone({ noise: -60, ownClock: true })')
  return context
}
