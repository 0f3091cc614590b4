import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clip } from '../fixtures/speech.ts'
import { Demo, type DemoPage } from './demo.ts'

const question = 'what are your opening hours'
const room = { noise: -60, ownClock: true } as const

let demo: Demo

beforeAll(async () => {
  demo = await Demo.startWithWebRtc()
})

afterAll(async () => {
  expect(await demo.stop()).toBe(0)
})

/** Notes how loud the page plays the agent right after it was told of an interruption: its first gain is that of the agent. */
const watchGain = `
  const gains = []
  const { createGain } = BaseAudioContext.prototype
  BaseAudioContext.prototype.createGain = function () {
    const gain = createGain.call(this)
    gains.push(gain)
    return gain
  }
  const nextTask = () => new Promise((resolve) => setTimeout(resolve))
  globalThis.gainAtInterrupt = ears.cleared().then(nextTask).then(() => gains[0].gain.value)
  undefined`

/** Calls. Returns the id of the session. */
async function call(page: DemoPage, transport: string): Promise<string> {
  await page.button(/^Call/).click()
  await page.page.getByText(`In call over ${transport}`, { exact: true }).waitFor()
  const session = (await demo.sessions()).find(({ state }) => state === 'live')
  return session!.id
}

/** Lets no UDP through: the page cannot reach the server at the port that it is told, and the server learns none of the page's. */
async function blockUdp({ page }: DemoPage): Promise<void> {
  await page.route(/\/api\/offer/, async (route) => {
    const method = route.request().method()
    if (method === 'PATCH') return await route.fulfill({ json: { status: 'success' } })
    if (method !== 'POST') return await route.continue()
    const response = await route.fetch()
    const answer = (await response.json()) as { sdp: string }
    const sdp = answer.sdp.replaceAll(/^(a=candidate:.* udp \d+ \S+) \d+/gim, '$1 9')
    return await route.fulfill({ response, json: { ...answer, sdp } })
  })
}

describe('a call of our own page over WebRTC', () => {
  it('[LN17] is spoken, and ends with a hang-up', async () => {
    await using page = await demo.open({ ears: true, room })
    const session = await call(page, 'WebRTC')
    await page.log.getByText('How can I help you?').waitFor()
    await page.ask(question, clip(question).samples)
    await page.log.getByText('from eight to six').waitFor()
    await page.hangUp()
    await page.sentence.getByText(/^Closed cleanly/).waitFor()
    expect(await demo.report(session)).toMatchObject({ reason: 'caller-hung-up', clean: true })
    expect(await demo.onlyClosed(session)).toMatchObject({ from: 'browser over WebRTC' })
    expect(page.trouble).toEqual([])
  })

  it('[LN17] is silent at once when the agent is interrupted, and what was heard is true', async () => {
    await using page = await demo.open({ ears: true, room })
    await page.run(watchGain)
    const session = await call(page, 'WebRTC')
    await page.run('ears.sounded(700)')
    await page.type(question)
    expect(await page.run('gainAtInterrupt')).toBe(0)
    await page.log.getByText('from eight to six').waitFor()
    await page.page.close()
    const { reason, transcript } = await demo.report(session)
    // A page that is closed says so, if its browser lets it.
    expect(['caller-hung-up', 'caller-lost']).toContain(reason)
    const [greeting] = transcript
    expect(greeting).toMatchObject({ role: 'agent', interrupted: true })
    const heard = greeting?.type === 'message' ? greeting.text : ''
    expect(heard).toMatch(/^Bright.*[^?]$/)
    expect('Bright Dental, good morning! How can I help you?'.startsWith(heard)).toBe(true)
  })

  it('[LN17] goes over WebSocket if no UDP gets through, says so, and leaves nothing of the attempt behind', async () => {
    await using page = await demo.open({ ears: true, room })
    await blockUdp(page)
    const session = await call(page, 'WebSocket')
    await page.page.getByText('No connection over WebRTC').waitFor()
    await page.log.getByText('How can I help you?').waitFor()
    await page.hangUp()
    expect(await demo.report(session)).toMatchObject({ reason: 'caller-hung-up', clean: true })
    expect(await demo.onlyClosed(session)).toMatchObject({ from: 'browser' })
  })

  it('[LN17] that is hung up before it has connected gives its place back at once, and no call begins', async () => {
    await using page = await demo.open()
    await blockUdp(page)
    // Only the hang-up can end the attempt: its timeout of 5 s never comes.
    await page.run(
      'const { setTimeout: after } = window; window.setTimeout = (fn, ms) => after(fn, ms === 5000 ? 1e9 : ms); undefined',
    )
    const before = (await demo.sessions()).length
    const answered = page.page.waitForResponse(/\/api\/offer/)
    const withdrawn = page.page.waitForResponse((response) => response.request().method() === 'DELETE')
    await page.button(/^Call/).click()
    await answered
    await page.hangUp()
    expect((await withdrawn).status()).toBe(200)
    expect(await demo.sessions()).toHaveLength(before)
    expect(page.trouble).toEqual([])
  })
})
