import { describe, expect, it } from 'vitest'
import { ask, productionFolder, startHost } from './production.ts'
import { TypingPage } from './typing-page.ts'

/** An agent that prints which process serves a call, and blocks its process in native code if it is asked to. */
const agent = `
import { execSync } from 'node:child_process'
import { writeSync } from 'node:fs'
import { Agent } from 'endwell'
import { ScriptedLlm, ScriptedTts } from 'endwell/testing'
const print = (record) => writeSync(1, JSON.stringify({ pid: process.pid, ...record }) + '\\n')
process.on('exit', () => print({ exits: true }))
const answers = ({ messages }) => {
  if (messages.at(-1).text === 'block') execSync('sleep 60')
  return 'At nine.'
}
export default {
  name: 'Bright Dental',
  agent: () =>
    new Agent({
      name: 'desk',
      instructions: '',
      onEnter: ({ session }) => {
        print({ serves: session.id })
        session.say('Good morning!')
      },
    }),
  models: () => ({ llm: new ScriptedLlm({ answers }), tts: new ScriptedTts({ msPerCharacter: 1 }) }),
}`

describe('endwell start --isolation process', { timeout: 120_000 }, () => {
  it('[HO41] [HO40] gives every call a process of its own, which ends with the call', async () => {
    const folder = productionFolder({ 'agent.js': agent })
    const options = '--isolation process --workers 1 --max-calls 3 --drain-timeout 0s --close-timeout 2s'
    const program = startHost(folder, options.split(' '))
    const url = await program.url()
    const pidOf = async (page: TypingPage): Promise<number> => {
      await page.until(() => page.received > 0 || page.closed)
      expect(page.call).not.toBe('')
      const found = (): unknown => program.lines.find(({ serves }) => serves === page.call)?.['pid']
      await program.until(() => found() !== undefined)
      return found() as number
    }
    const exits = (pid: number): Promise<void> =>
      program.until(() => program.lines.some((line) => line['exits'] === true && line['pid'] === pid))

    // More callers than processes that wait for calls.
    const pages = [new TypingPage(url), new TypingPage(url), new TypingPage(url)] as const
    const pids = await Promise.all(pages.map((page) => pidOf(page)))
    expect(new Set(pids).size).toBe(3)
    const fourth = new TypingPage(url)
    await fourth.until(() => fourth.closed)
    expect([fourth.call, fourth.reason]).toEqual(['', expect.stringMatching(/busy/i)])

    // The process that is blocked is killed. The others go on.
    const [blocked, other, last] = pages
    blocked.type('block')
    await blocked.until(() => blocked.closed)
    const before = other.received
    other.type('When are you open?')
    await other.until(() => other.received > before || other.closed)
    expect([other.closed, last.closed]).toEqual([false, false])

    other.hangUp()
    await exits(pids[1]!)
    const next = new TypingPage(url)
    expect(pids).not.toContain(await pidOf(next))
    const { text } = await ask(`${url}/metrics`)
    expect(text).toMatch(/^endwell_calls_total\{.*reason="caller-hung-up".*\} 1$/m)
    expect(program.lines.filter(({ message }) => message === 'a worker is replaced')).toMatchObject([
      { why: 'stuck' },
    ])

    program.signal('SIGTERM')
    expect(await program.ended()).toBe(1)
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })
})
