import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PATIENCE, launchChromium, troubleOf } from '../browser/chromium.ts'
import { subprotocol } from '../../src/lines/websocket/protocol.ts'
import { LoopbackServer, OpenAIRealtimeServer } from '../../src/testing/servers/index.ts'
import { compiled } from '../compiled.ts'
import { Program } from '../program.ts'
import { RawCaller } from './raw-caller.ts'

describe('the page and the server of the browser example', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser.close())

  it.each([
    ['a secret', { CALL_SECRET: 'a secret of sixteen' }],
    ['no secret', { CALL_SECRET: '' }],
  ])('talk to each other, with %s', async (_, secret) => {
    const program = new Program(['--import', 'tsx', 'examples/browser/server.ts'], {
      env: { PORT: '0', ...secret },
    })
    try {
      const page = await browser.newPage()
      page.setDefaultTimeout(PATIENCE)
      const trouble = troubleOf(page)
      await page.goto(await program.prints(/http:\S+/))
      await page.getByRole('button', { name: 'Call' }).click()
      await page.getByText('speaking', { exact: true }).waitFor()
      await page.getByText('live', { exact: true }).waitFor()
      await page.getByPlaceholder('Or type').fill('when are you open')
      await page.keyboard.press('Enter')
      await page.getByText('speaking', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Hang up' }).click()
      await page.getByText('ended: hung-up').waitFor()
      expect(await program.prints(/caller-.*well/)).toBe('caller-hung-up ended well')
      expect(trouble).toEqual([])
      await page.close()
    } finally {
      program.signal('SIGINT')
      expect(await program.ended()).toBe(0)
    }
  })
})

describe('the session of the README', () => {
  it('answers a call with the realtime model', async () => {
    const vendor = new OpenAIRealtimeServer()
    const server = await LoopbackServer.listen({ serve: vendor.serve })
    const program = new Program([compiled('readme-session')], {
      env: { PORT: '0', OPENAI_API_KEY: 'any', OPENAI_BASE_URL: server.url },
    })
    try {
      const [, port] = /(\d+)$/.exec(await program.prints(/port: \d+/))!
      const caller = await RawCaller.dial({
        port: Number(port),
        path: '/call',
        headers: { 'sec-websocket-protocol': subprotocol, origin: `http://localhost:${port}` },
      })
      const instructed = (): boolean =>
        JSON.stringify(vendor.open.at(-1)?.settings ?? {}).includes('Bright Dental')
      await server.until(instructed)
      caller.abort()
      await caller.ended
      expect(program.errors).toBe('')
    } finally {
      program.signal('SIGTERM')
      await program.ended()
      await server.close()
    }
  })
})
