import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { concat, encodeWav, silence } from '../../src/audio/index.ts'
import { systemClock } from '../../src/scope/index.ts'
import { soundOf, textOf } from '../../src/testing/index.ts'
import { launchChromium, runUnclicked } from '../browser/chromium.ts'
import { BlockedTime } from '../blocked-time.ts'
import { BrowserStage, type StagedCall } from './browser-stage.ts'
import { wordsIn } from './plateaus.ts'
import { TcpProxy } from './tcp-proxy.ts'

const RATE = 16_000
const MS_PER_CHARACTER = 50
const WORDS = 'Bright Dental, good morning! How can I help you?'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
}, 60_000)
afterAll(() => browser.close())

/** Plays words and puts a mark behind them. */
function say({ connection }: StagedCall, words: string, mark: number): void {
  connection.play(soundOf(words, RATE, MS_PER_CHARACTER))
  connection.mark(mark)
}

/** The words that the page played, without pauses. */
async function heardIn(stage: BrowserStage): Promise<string> {
  const all = await stage.run<number[]>('driver.heard()')
  return textOf([{ samples: Int16Array.from(all.filter((sample) => sample !== 0)), sampleRate: RATE }])
}

describe('a page in a real browser', () => {
  it('[LN3] plays exactly what the line was given, and the line knows how much', async () => {
    await using stage = await BrowserStage.set(browser)
    const call = await stage.call()
    say(call, WORDS, 1)
    say(call, 'We are open.', 2)
    expect(await call.marked(1)).toMatchObject({ heard: WORDS.length * MS_PER_CHARACTER })
    expect(await call.marked(2)).toMatchObject({ heard: 12 * MS_PER_CHARACTER })
    expect(await heardIn(stage)).toBe(`${WORDS}We are open.`)
    expect(stage.trouble).toEqual([])
  })

  it('can type and press keys, without a microphone', async () => {
    await using stage = await BrowserStage.set(browser)
    const call = await stage.call({ microphone: false })
    await stage.run(`driver.call.sendText('I need an appointment'); driver.call.press('1x#')`)
    await call.emits('dtmf', ({ text }) => text === '#')
    expect(
      call.emitted.map((event) => ('text' in event ? `${event.what} ${event.text}` : event.what)),
    ).toEqual(['text I need an appointment', 'dtmf 1', 'dtmf #'])
    expect(call.frames).toEqual([])
  })

  it('is silent as soon as a clear arrives, and reports what was heard until then', async () => {
    await using stage = await BrowserStage.set(browser)
    const call = await stage.call()
    say(call, WORDS, 1)
    await stage.run(`driver.sounded(${RATE / 2})`)
    using still = new BlockedTime()
    const asked = systemClock.now()
    call.connection.clear()
    const { heard = 0 } = await call.marked(1)
    const took = systemClock.now() - asked
    console.log(`interrupt to silence, and back to the server: ${took.toFixed(1)} ms`)
    expect(heard).toBeGreaterThanOrEqual(500)
    expect(heard).toBeLessThan(WORDS.length * MS_PER_CHARACTER)
    expect(took - still.total).toBeLessThan(500)

    // Later, what was played is exactly as long as the page reported.
    const rendered = await stage.run<number>('driver.count()')
    await stage.run(`driver.rendered(${rendered} + ${RATE / 4})`)
    const samples = await stage.run<number[]>('driver.heard()')
    expect(samples).toHaveLength((heard * RATE) / 1000)

    say(call, 'Yes?', 2)
    expect(await call.marked(2)).toMatchObject({ heard: 4 * MS_PER_CHARACTER })
    expect(await heardIn(stage)).toMatch(/Yes\?$/)
  })

  it('[LN1] can hang up', async () => {
    await using stage = await BrowserStage.set(browser)
    const call = await stage.call()
    say(call, WORDS, 1)
    await stage.run(`driver.sounded(1)`)
    await stage.run('driver.call.hangUp()')
    await call.emits('hungUp')
    expect(call.emitted.at(-1)).toEqual({ what: 'hungUp' })
    expect(await stage.run('driver.event("ended")')).toEqual({ reason: 'hung-up' })
    const { clean } = await call.context.scope.close()
    expect(clean).toBe(true)
    expect(call.context.connections).toMatchObject([{ name: 'browser', how: 'closed', retries: 0 }])
    expect(stage.calls.size).toBe(0)
  })

  it('[LN1] ends its call when the session hangs up', async () => {
    await using stage = await BrowserStage.set(browser)
    const call = await stage.call()
    const { clean } = await call.context.scope.close()
    expect(clean).toBe(true)
    expect(await stage.run('driver.event("ended")')).toEqual({ reason: 'ended' })
    expect(call.context.connections).toMatchObject([{ how: 'closed', code: 1000 }])
  })

  it('[LN1] is lost after rejoinTimeout if its tab is closed', async () => {
    await using stage = await BrowserStage.set(browser, { rejoinTimeout: 300 })
    const call = await stage.call()
    say(call, WORDS, 1)
    await stage.run(`driver.sounded(${RATE / 4})`)
    const closed = systemClock.now()
    await stage.page.close()
    await call.emits('lost')
    const took = systemClock.now() - closed
    console.log(`tab closed to lost, with a rejoinTimeout of 300 ms: ${took.toFixed(0)} ms`)
    expect(took).toBeGreaterThanOrEqual(295)
    expect(took).toBeLessThan(3_000)
    // The mark comes back before, with what is known to have been heard.
    const { heard = 0 } = await call.marked(1)
    expect(heard).toBeLessThan(WORDS.length * MS_PER_CHARACTER)
    expect(call.emitted.at(-1)).toEqual({ what: 'lost' })
  })

  it('[LN2] is lost after lostTimeout behind a network that swallows everything', async () => {
    await using stage = await BrowserStage.set(browser, { lostTimeout: 1_000 })
    await using proxy = await TcpProxy.listen(stage.port)
    const call = await stage.call({ url: `ws://localhost:${proxy.port}/call` })
    using still = new BlockedTime()
    const frozen = systemClock.now()
    proxy.freeze()
    await call.emits('lost')
    const took = systemClock.now() - frozen
    console.log(`swallowed to lost, with a lostTimeout of 1000 ms: ${took.toFixed(0)} ms`)
    expect(took - still.total).toBeLessThan(1_500)
  })

  it('[LN4] rejoins after a cut, and no sound is lost or played twice', async () => {
    await using stage = await BrowserStage.set(browser)
    await using proxy = await TcpProxy.listen(stage.port)
    const call = await stage.call({ url: `ws://localhost:${proxy.port}/call` })
    say(call, WORDS, 1)
    await stage.run(`driver.sounded(${RATE / 2})`)
    proxy.cut()
    await stage.run('driver.event("rejoining")')
    expect(await call.marked(1)).toMatchObject({ heard: WORDS.length * MS_PER_CHARACTER })
    expect(await heardIn(stage)).toBe(WORDS)
    expect(call.emitted).toHaveLength(1)
    expect(await stage.run('driver.call.state')).toBe('live')
    await call.context.scope.close()
    expect(call.context.connections).toMatchObject([{ how: 'closed', retries: 1 }])
  })

  it('[LN4] rejoins after a reload with its ticket, and plays what it is not known to have played', async () => {
    await using stage = await BrowserStage.set(browser)
    const call = await stage.call()
    say(call, WORDS, 1)
    await stage.run(`driver.sounded(${RATE})`)
    const ticket = await stage.run('driver.call.ticket')
    await stage.page.reload()
    await stage.run(`driver.connect(${JSON.stringify({ url: '/call', ticket })})`)
    const { heard = 0 } = await call.marked(1)
    expect(heard).toBeCloseTo(WORDS.length * MS_PER_CHARACTER, 3)
    // A character that was cut lost its beginning, which counts as heard.
    expect(WORDS.endsWith((await heardIn(stage)).slice(1))).toBe(true)
    expect(call.emitted).toHaveLength(1)
    expect(stage.calls.size).toBe(1)
  })

  it('[LN4] ends its call without a retry if another page has taken the call over', async () => {
    await using stage = await BrowserStage.set(browser)
    const call = await stage.call()
    const ticket = await stage.run('driver.call.ticket')
    const other = await stage.openPage()
    await other.evaluate(`driver.connect(${JSON.stringify({ url: '/call', ticket })})`)
    expect(await stage.run('driver.event("ended")')).toEqual({ reason: 'replaced' })
    await other.evaluate(`driver.call.sendText('It is me.')`)
    await call.emits('text')
    expect(stage.calls.size).toBe(1)
  })

  it('[LN5] learns why it was refused, if it has no token', async () => {
    await using stage = await BrowserStage.set(browser, { secret: 'a secret of sixteen' })
    expect(await stage.run(`driver.connect({ url: '/call' })`)).toBe('ended')
    expect(await stage.run('driver.event("ended")')).toEqual({ reason: 'refused', code: 'TOKEN_MISSING' })
    const token = stage.calls.token({ data: { name: 'Jo' } })
    const call = await stage.call({ token })
    expect(call.info.data).toEqual({ name: 'Jo' })
  })

  it('emits an error if the server cannot be reached', async () => {
    await using stage = await BrowserStage.set(browser)
    expect(await stage.run(`driver.connect({ url: 'ws://localhost:9/call' })`)).toBe('ended')
    expect(await stage.run('driver.event("error")')).toEqual({ code: 'SERVER_GONE' })
  })
})

describe('a microphone in a real browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'endwell-microphone-'))
  const file = join(folder, 'says.wav')
  // Short, and repeated: a browser on a busy machine loses some of the sound that it captures.
  const says = 'Hello'
  let own: Browser
  beforeAll(async () => {
    const sound = [silence(200, 48_000), soundOf(says, 48_000, 60)]
    writeFileSync(file, encodeWav([concat(sound, 48_000).samples], 48_000))
    own = await launchChromium({ microphone: file, repeats: true })
  })
  afterAll(async () => {
    await own.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is heard by the server, word for word', async () => {
    await using stage = await BrowserStage.set(own, { sampleRate: 48_000 })
    // Voice enhancement changes samples, and with them the encoded words.
    const plain = { echoCancellation: false, noiseSuppression: false, autoGainControl: false }
    const call = await stage.call({ microphone: plain })
    await call.until(() => wordsIn(call.frames).includes(says))
    for (const { samples, sampleRate } of call.frames) {
      expect(sampleRate).toBe(48_000)
      expect(samples).toHaveLength(960)
    }
    expect(await stage.run('driver.event("level", "0.9")')).toBeGreaterThan(0.9)
  })
})

describe('a strict browser', () => {
  it('that denies the microphone causes an error, and the call continues with typing', async () => {
    const strict = await launchChromium({ allowsMicrophone: false })
    try {
      await using stage = await BrowserStage.set(strict)
      const call = await stage.call()
      expect(await stage.run('driver.event("error").then(({ code }) => code)')).toBe('MICROPHONE_DENIED')
      await stage.run(`driver.call.sendText('hello')`)
      await call.emits('text')
    } finally {
      await strict.close()
    }
  })

  it('that blocks sound before a click causes an error, and plays after a click', async () => {
    const strict = await launchChromium({ allowsSound: false })
    try {
      await using stage = await BrowserStage.set(strict)
      const answered = stage.answered()
      await runUnclicked(stage.page, `driver.connect({ url: '/call', microphone: false })`)
      const call = await answered
      expect(await runUnclicked(stage.page, 'driver.event("error")')).toEqual({ code: 'SOUND_BLOCKED' })
      expect(await runUnclicked(stage.page, 'driver.call.output.context.state')).toBe('suspended')
      await stage.page.mouse.click(10, 10)
      await runUnclicked(stage.page, 'driver.sounds()')
      say(call, WORDS, 1)
      await call.marked(1)
      expect(await heardIn(stage)).toBe(WORDS)
    } finally {
      await strict.close()
    }
  })
})
