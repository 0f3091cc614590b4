import { describe, expect, it } from 'vitest'
import { Scope } from '../../src/scope/index.ts'
import { Stage } from '../host/stage.ts'
import { barriers } from './barriers.ts'
import { info } from './studio.ts'
import { call } from './callers.ts'
import { studios } from './studios.ts'

const openStudio = studios()

describe('the page', () => {
  it('asks for the secret of the host', async () => {
    await using studio = await openStudio({ secret: 'correct horse battery' })
    const { page } = studio
    await studio.goto()
    await page.getByLabel('Secret', { exact: true }).fill('wrong horse')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('wrong secret').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('Secret', { exact: true }).fill('correct horse battery')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Call', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Call', exact: true }).waitFor()
  })

  it('shows that the server does not respond, and reconnects', async () => {
    const studio = await openStudio()
    const { page, stage } = studio
    await page.clock.install()
    await studio.goto()
    await page.getByText('online').waitFor()
    const { port } = stage.server
    await stage.scope.close()
    await page.getByRole('alert').getByText('Server not responding').waitFor()
    // The page would retry by itself, too.
    await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 1_000)
    expect(await page.getByRole('button', { name: 'Call', exact: true }).isDisabled()).toBe(true)
    {
      await using again = await Stage.open({ port, info, scope: new Scope('again') })
      await page.getByRole('button', { name: 'Retry now' }).click()
      await page.getByText('online').waitFor()
      expect(again.server.connections).toBeGreaterThan(0)
    }
    await page.context().close()
    await studio[Symbol.asyncDispose]()
  })

  it('[RL1] says that a new version answers, and does not show the change of the process as an outage', async () => {
    await using studio = await openStudio()
    const { page, stage } = studio
    let generation = 1
    await page.route('**/api/info', (route) => route.fulfill({ json: { ...info, faults: [], generation } }))
    await studio.goto()
    await page.getByText('online').waitFor()
    const outages: string[] = []
    await page.exposeFunction('outage', (text: string) => outages.push(text))
    await page.evaluate(`new MutationObserver(() => {
      const alert = document.querySelector('[role=alert]')
      if (alert) outage(alert.textContent)
    }).observe(document.body, { childList: true, subtree: true })`)
    generation = 2
    stage.host.leave()
    await page.getByRole('status').getByText('Version 2 answers new calls').waitFor()
    await page.getByText('version 2', { exact: false }).first().waitFor()
    await page.getByRole('button', { name: 'OK' }).click()
    await page.getByText('Version 2 answers new calls').waitFor({ state: 'detached' })
    expect(outages).toEqual([])
    expect(await barriers(page)).toEqual([])
  })

  it('explains the trouble of a call, and that it is reconnecting', async () => {
    await using studio = await openStudio()
    const { page } = studio
    const notice = page.locator('.notice')
    await studio.goto()
    await call(studio)
    const troubles = {
      'microphone-denied': 'Microphone access denied',
      'microphone-missing': 'No microphone found',
      unreachable: 'Server unreachable',
      lost: 'Connection lost',
      'sound-blocked': 'Sound blocked by the browser',
    }
    for (const [trouble, title] of Object.entries(troubles)) {
      await page.evaluate(`testLine.trouble('${trouble}')`)
      await notice.getByText(title).waitFor()
    }
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Turn sound on' }).click()
    await notice.waitFor({ state: 'detached' })
    await page.evaluate(`testLine.state('rejoining')`)
    await page.getByRole('status').getByText('Connection interrupted').waitFor()
    await page.evaluate(`testLine.state('live')`)
    await notice.waitFor({ state: 'detached' })
  })

  it('has no fault injection in production', async () => {
    await using studio = await openStudio({ info: { ...info, mode: 'production' } })
    await studio.goto()
    await studio.page.getByText('production').waitFor()
    expect(await studio.page.getByText('Fault injection').count()).toBe(0)
  })
})
