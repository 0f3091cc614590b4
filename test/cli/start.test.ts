import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../house/tree.ts'
import { ask, productionFolder, startHost } from './production.ts'
import { runCommand } from './run-command.ts'
import { TypingPage } from './typing-page.ts'

describe('endwell start', { timeout: 120_000 }, () => {
  it('[HO28] reports all mistakes of its configuration at once, and starts nothing', async () => {
    const folder = productionFolder({ '.env': 'PORT=http\nENDWELL_SECRETS=x\n' })
    const args = ['start', 'agent.js', '--log', 'loud', '--workers', '3', '--max-calls', '2']
    const { code, out, errors } = await runCommand(args, { cwd: folder })
    expect(code).toBe(2)
    expect(errors.split('\n')).toEqual([
      "PORT in .env must be a whole number from 0 to 65535, not 'http'",
      "--log must be debug, info, warn, error or none, not 'loud'",
      "ENDWELL_SECRETS in .env is not a setting. Did you mean 'ENDWELL_SECRET'?",
      'max-calls is 2: it must be at least 3, one per worker',
      'See endwell start --help',
      '',
    ])
    expect(out).toBe('')
    expect(existsSync(join(folder, 'endwell-data'))).toBe(false)
  })

  it.each([
    [
      'a file without models',
      'export default { name: "x" }',
      /agent\.js must have a default export .* missing: agent, models\n$/,
    ],
    [
      'a file that throws',
      'throw new Error("no such table")',
      /agent\.js could not be loaded: no such table \(agent\.js:1:7\)\n$/,
    ],
    [
      'a file that exits',
      'process.exit(7)',
      /agent\.js ended the process that loaded it, with exit code 7\n$/,
    ],
  ])('[HO29] reports a mistake in the agent file before it listens: %s', async (_, text, problem) => {
    const folder = productionFolder({ 'agent.js': text })
    const { code, out, errors } = await runCommand(['start', 'agent.js', '--port', '0'], { cwd: folder })
    expect(code).toBe(1)
    expect(errors).toMatch(problem)
    expect(errors).not.toMatch(/\n {4}at /)
    expect(out).toBe('')
    expect(existsSync(join(folder, 'endwell-data'))).toBe(false)
  })

  it('[HO29] [HO6] [LN11] serves this machine only without a secret, limits its calls, and stops at a signal', async () => {
    const folder = productionFolder({ '.env': 'ENDWELL_NAMES=phone.example.com\n' }, root)
    const program = startHost(folder, ['--max-calls', '1', '--drain-timeout', '0s', '--close-timeout', '2s'])
    const url = await program.url()
    const code = async (headers: Record<string, string>, path = '/api/info'): Promise<string> => {
      const { status, text } = await ask(url + path, headers)
      return `${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`
    }
    expect(await code({})).toBe('200 ')
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])
      expect(await code({ [name]: '203.0.113.7' }), name).toBe('403 SECRET_NEEDED')
    expect(await code({ host: 'phone.example.com' })).toBe('403 SECRET_NEEDED')
    expect(await code({ host: 'evil.example.com' })).toBe('403 UNKNOWN_HOST')
    expect((await ask(`${url}/healthz`)).text).toBe('ok\n')

    const first = new TypingPage(url)
    await first.until(() => first.call !== '')
    const second = new TypingPage(url)
    await second.until(() => second.closed)
    expect([second.call, second.reason]).toEqual(['', expect.stringMatching(/busy/i)])
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const phone = await ask(
      `${url}/phone/answer`,
      form,
      'POST',
      'CallSid=CA1&AccountSid=AC1&From=%2B1&To=%2B2',
    )
    expect(phone.text).toContain('<Reject reason="busy"/>')

    program.signal('SIGTERM')
    await first.until(() => first.closed)
    expect(await program.ended()).toBe(0)
    const lines = program.out.trimEnd().split('\n')
    const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    for (const record of records)
      expect(record).toMatchObject({
        time: expect.any(String),
        level: expect.any(String),
        message: expect.any(String),
      })
    expect(records.find(({ message }) => message === 'the call has ended')).toMatchObject({
      call: first.call,
      reason: 'host-draining',
      clean: true,
    })
    expect(program.errors).toMatch(/^name +phone\.example\.com +\.env$/m)
    expect(program.errors).toMatch(/\nBright Dental answers at http:\/\/127\.0\.0\.1:\d+\n$/)
  })

  it('[HO29] ends at once if a signal comes while it checks the agent file, and leaves no process behind', async () => {
    const folder = productionFolder({ 'agent.js': 'console.error("loading", process.pid); for (;;);' })
    const program = startHost(folder)
    await program.until(() => /loading \d+\n/.test(program.errors))
    program.signal('SIGTERM')
    expect(await program.ended()).toBe(0)
    const pid = Number(/loading (\d+)/.exec(program.errors)?.[1])
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })
})
