import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TcpProxy } from '../lines/tcp-proxy.ts'
import { Demo, STANDSTILL } from './demo.ts'

let demo: Demo

beforeAll(async () => {
  demo = await Demo.start()
})

afterAll(async () => {
  expect(await demo.stop()).toBe(0)
})

describe('a call of the demo', () => {
  it('ends cleanly with a hang-up in mid-sentence, and the page shows what was heard', async () => {
    await using page = await demo.open({ ears: true })
    await page.call()
    await page.run('ears.sounded(700)')
    await page.hangUp()
    await page.sentence.getByText(/^Closed cleanly/).waitFor()
    await page.page.getByText('Nothing left open.', { exact: true }).waitFor()
    expect(await page.log.locator('s').textContent()).toMatch(/you\?$/)
    const report = await page.report()
    expect(report).toMatchObject({ reason: 'caller-hung-up', clean: true })
    expect(report.transcript).toMatchObject([{ role: 'agent', interrupted: true }])
    expect(await demo.onlyClosed(page.session)).toMatchObject({ reason: 'caller-hung-up', clean: true })
    expect(page.trouble).toEqual([])
  })

  it('ends as caller-lost when the tab is closed or the network stays down', async () => {
    const proxy = await TcpProxy.listen(Number(new URL(demo.url).port))
    await using tab = await demo.open()
    await using cut = await demo.open({ url: `http://localhost:${proxy.port}` })
    await Promise.all([tab.call(), cut.call()])
    const count = (await demo.sessions()).length
    await Promise.all([tab.page.close(), proxy.close()])
    const reports = await Promise.all([tab.report(), cut.report()])
    for (const report of reports) {
      expect(report).toMatchObject({ reason: 'caller-lost', ended: 'lost', by: 'line', clean: true })
      expect(report.took).toBeLessThanOrEqual(report.closeTimeout + STANDSTILL)
      expect(report.connections).toMatchObject([{ name: 'browser', how: 'dropped' }])
    }
    expect(await demo.onlyClosed(tab.session)).toMatchObject({ reason: 'caller-lost' })
    expect(await demo.onlyClosed(cut.session)).toMatchObject({ reason: 'caller-lost' })
    expect(await demo.sessions()).toHaveLength(count)
    // The page that is still open says so.
    await cut.page.getByText('Connection lost').waitFor()
    await cut.page.getByText('Server not responding').waitFor()
  })

  it('continues in the same session after a reload and after a network failure', async () => {
    await using proxy = await TcpProxy.listen(Number(new URL(demo.url).port))
    await using page = await demo.open({ url: `http://localhost:${proxy.port}` })
    await page.call()
    const count = (await demo.sessions()).length
    await page.page.reload()
    await page.button('Hang up').waitFor()
    await page.type('thank you')
    await page.log.getByText(/You are welcome|Gladly/).waitFor()
    proxy.down()
    await page.page.getByText('Connection interrupted').waitFor()
    proxy.up()
    await page.page.getByText('Connection interrupted').waitFor({ state: 'detached' })
    await page.type('when are you open')
    await page.log.getByText('from eight to six').waitFor()
    await page.hangUp()
    await page.sentence.getByText(/^Closed cleanly/).waitFor()
    const report = await page.report()
    expect(report).toMatchObject({ reason: 'caller-hung-up', clean: true, usage: { turns: 2 } })
    expect(report.connections).toMatchObject([{ name: 'browser', how: 'closed', retries: 2 }])
    expect(await demo.onlyClosed(page.session)).toMatchObject({
      reason: 'caller-hung-up',
      clean: true,
      turns: 2,
    })
    expect(await demo.sessions()).toHaveLength(count)
  })
})
