import { describe, expect, it, onTestFinished } from 'vitest'
import { newDatabase } from '../postgres/database.ts'
import { productionFolder, startHost } from './production.ts'
import { runCommand } from './run-command.ts'
import { TypingPage } from './typing-page.ts'

describe('the commands for operators', { timeout: 180_000 }, () => {
  it('[HO30] list, report, close, retry and drain at a running host, and read the journal after it', async () => {
    const folder = productionFolder()
    const host = startHost(folder)
    const url = await host.url()
    const run = async (args: readonly string[], at: readonly string[] = ['--url', url]) => {
      const { code, out, errors, lines } = await runCommand([...args, ...at], {
        cwd: folder,
        env: { PORT: '1' },
      })
      return { code, text: out + errors, json: lines[0] }
    }
    const page = new TypingPage(url)
    await page.until(() => page.call !== '')
    const { call } = page
    const [listed, live] = await Promise.all([
      run(['sessions', '--state', 'live', '--json']),
      run(['report', call]),
    ])
    const closing = await run(['close', call])
    expect(listed.json).toMatchObject({ sessions: [{ id: call, agent: 'desk', state: 'live' }] })
    expect(live).toMatchObject({
      code: 0,
      text: `call ${call} is live: its report is written when it ends\n`,
    })
    expect(closing).toMatchObject({ code: 0, text: `call ${call} is closing\n` })
    await page.until(() => page.closed)
    await host.prints(/after-call work is dead/)
    const [report, work] = await Promise.all([
      run(['report', call, '--transcript']),
      run(['work', '--state', 'dead']),
    ])
    const retried = await run(['work', 'retry', '--all-dead'])
    expect(report.text).toMatch(/session .* · clean · .* · reason: requested/)
    expect(report.text).toMatch(/\nagent: Good morning!\n$/)
    expect(work.text).toMatch(
      new RegExp(`\\n${call}/crm +dead +1 +– +UNRECOVERABLE: the customer is unknown\\n`),
    )
    expect(retried).toMatchObject({ code: 0, text: '1 piece of work is due now\n' })
    const draining = await run(['drain', '--json'])
    expect(draining).toMatchObject({ code: 0, json: { host: expect.any(String) as string, draining: true } })
    expect(await host.ended()).toBe(0)

    // One process at a time can open the data folder.
    const [gone, read] = await Promise.all([run(['hosts']), run(['report', call], [])])
    const none = await run(['drain'], [])
    expect(gone).toMatchObject({
      code: 1,
      text: expect.stringMatching(/^no host answers at http.*--url\n$/) as string,
    })
    expect(read.text).toContain(`session ${call} · clean`)
    expect(none).toMatchObject({ code: 1, text: 'there is no host\n' })
  })

  it('[HO30] use a journal in Postgres without a host, and drain a host that they cannot reach', async () => {
    const folder = productionFolder()
    const { url, drop } = await newDatabase('operate')
    onTestFinished(drop)
    const env = { DATABASE_URL: url, PORT: '1' }
    const run = async (...args: string[]) => {
      const { code, lines } = await runCommand([...args, '--json'], { cwd: folder, env })
      return [code, lines[0]]
    }
    expect(await run('sessions', '--words', 'anything')).toEqual([0, { sessions: [] }])
    const host = startHost(folder, [], env)
    const { host: id } = JSON.parse(await host.prints(/^.*"listening".*$/m)) as { host: string }
    await host.prints(/"ready":true/)
    expect(await run('drain', '--host', 'another')).toMatchObject([1, { error: { code: 'NO_SUCH_HOST' } }])
    expect(await run('drain', '--host', id)).toEqual([0, { host: id, draining: true }])
    expect(await host.ended()).toBe(0)
  })

  it.each<readonly [readonly string[], RegExp]>([
    [['report'], /^Missing ID, the id of the call\nSee endwell report --help\n$/],
    [['close', 'a', 'b'], /^Expected one ID, not 2\n/],
    [['sessions', '--state', 'open'], /^Option '--state' must be live or closed, not 'open'\n/],
    [['sessions', '--url', 'localhost'], /^--url must be a URL such as .*, not 'localhost'\n/],
    [['work', '--state', 'late'], /^Option '--state' must be waiting, running, done or dead, not 'late'\n/],
    [['work', 'retry'], /^Expected either a KEY, or --call, or --all-dead\n/],
    [['work', 'retry', 'k', '--all-dead'], /^Expected either a KEY, or --call, or --all-dead\n/],
    [['drain', '--hots', 'x'], /^Unknown option '--hots'\. Did you mean '--host'\?\n/],
  ])('[HO30] say in one sentence what is wrong with their arguments: %j', async (args, text) => {
    const { code, errors } = await runCommand(args)
    expect(code).toBe(2)
    expect(errors).toMatch(text)
  })
})
