import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { HostInfo, SessionDetails, SessionSummary } from '../../src/host/index.ts'
import { installedPackage } from '../compiled.ts'
import type { Program } from '../program.ts'
import { ask } from './production.ts'
import { runProgram } from './run-program.ts'
import { TypingPage } from './typing-page.ts'

/** Says which version it is, in its greeting and in every answer, and prints the id of its process. */
const agent = `
  import { Agent } from 'endwell'
  import { ScriptedLlm, ScriptedTts } from 'endwell/testing'
  import { words } from './words.js'
  import data from './data.cjs'
  console.log(JSON.stringify({ pid: process.pid }))
  const text = words + ' ' + data.more + ' ' + (process.env.GREETING ?? 'none')
  export default {
    name: 'Desk',
    agent: () => new Agent({ name: 'desk', instructions: '', onEnter: ({ session }) => void session.say(text) }),
    models: () => ({ llm: new ScriptedLlm({ answers: () => text }), tts: new ScriptedTts() }),
  }`

const files = {
  'package.json': '{"type":"module"}',
  'agent.js': agent,
  'words.js': `export const words = 'version one'`,
  'data.cjs': `module.exports = require('./more.cjs')`,
  'more.cjs': `exports.more = 'a'`,
}

/** A project with endwell installed. */
function project(changes: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'endwell-reload-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(installedPackage(), join(folder, 'node_modules/endwell'), 'dir')
  for (const [name, text] of Object.entries({ ...files, ...changes })) writeFileSync(join(folder, name), text)
  return folder
}

/** Replaces a file as most editors do. */
function save(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, `${name}~`), text)
  renameSync(join(folder, `${name}~`), join(folder, name))
}

const dev = (folder: string): Program =>
  runProgram(['dev', 'agent.js', '--json', '--port', '0', '--recordings', 'none'], { cwd: folder })

const words = (text: string): string => `export const words = '${text}'`

/** On a connection of its own: one from before a change belongs to the previous version. */
async function get<T>(url: string, path: string): Promise<T> {
  return JSON.parse((await ask(url + path)).text) as T
}

/** Waits for the nth line with this key. */
async function line<T>(program: Program, key: string, nth = 1): Promise<T> {
  const found = (): T[] => program.lines.flatMap((each) => (key in each ? [each[key] as T] : []))
  await program.until(() => found().length >= nth || program.code !== undefined)
  return found()[nth - 1]!
}

const reloaded = (program: Program, nth = 1): Promise<{ readonly generation: number }> =>
  line(program, 'reloaded', nth)
const notLoaded = (program: Program, nth = 1): Promise<{ readonly message: string }> =>
  line(program, 'notLoaded', nth)

/** Reads the events of a call until one of them says this. */
async function says(url: string, id: string, text: string): Promise<void> {
  let events = ''
  const { body } = await fetch(new URL(`/api/sessions/${id}/events`, url))
  for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
    events += piece
    if (events.includes(`"text":"${text}`)) return
  }
  throw new Error(`call ${id} ended before it said '${text}':\n${events}`)
}

async function call(url: string): Promise<TypingPage> {
  const page = new TypingPage(url)
  await page.until(() => page.call !== '' || page.closed)
  return page
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const pids = (program: Program): number[] =>
  program.lines.flatMap(({ pid }) => (typeof pid === 'number' ? [pid] : []))

describe('endwell dev, when files change', { timeout: 120_000 }, () => {
  it('[RL1] [RL4] gives new calls the new version, and lets the others go on with theirs', async () => {
    const folder = project()
    const program = dev(folder)
    const url = await program.url()
    const first = await call(url)
    await says(url, first.call, 'version one a none')

    save(folder, 'words.js', words('version two'))
    expect(await reloaded(program)).toMatchObject({ generation: 2, name: 'Desk' })
    expect(await get<HostInfo>(url, '/api/info')).toMatchObject({ generation: 2 })
    const second = await call(url)
    await says(url, second.call, 'version two a none')

    // A file that a CommonJS module requires, and the environment.
    save(folder, 'more.cjs', `exports.more = 'b'`)
    await reloaded(program, 2)
    writeFileSync(join(folder, '.env'), 'GREETING=hello')
    expect(await reloaded(program, 3)).toMatchObject({ generation: 4 })
    const third = await call(url)
    await says(url, third.call, 'version two b hello')

    // The first call goes on in a process of its own, and is found through the latest one.
    first.type('Are you still there?')
    await says(url, first.call, 'Are you still there?')
    first.hangUp()
    await first.until(() => first.closed)
    expect(first.reason).toBe('hung-up')
    await program.until(() => program.lines.some((each) => each['url'] === `${url}/#/sessions/${first.call}`))
    await (await fetch(new URL(`/api/sessions/${first.call}/events`, url))).text()
    const { report } = await get<SessionDetails>(url, `/api/sessions/${first.call}`)
    const said = report!.transcript.flatMap((item) =>
      item.type === 'message' && item.role === 'agent' ? [item.text.trim()] : [],
    )
    expect(said).toEqual(['version one a none', 'version one a none'])
    const { sessions } = await get<{ sessions: SessionSummary[] }>(url, '/api/sessions')
    expect(sessions.map(({ id }) => id)).toEqual(
      expect.arrayContaining([first.call, second.call, third.call]),
    )
    program.signal('SIGINT')
    expect(await program.ended(), program.out + program.errors).toBe(0)
    expect(program.lines.at(-1)).toMatchObject({ ended: true, clean: true, sessions: 3 })
    expect(pids(program).filter(isAlive)).toEqual([])
  })

  it('[RL2] reports a change that cannot be loaded, goes on, and tries the next one', async () => {
    const folder = project()
    const program = dev(folder)
    const url = await program.url()
    save(folder, 'words.js', 'export const words = ]')
    expect(await notLoaded(program)).toEqual({
      generation: 2,
      code: 'AGENT_FILE',
      message: `agent.js could not be loaded: Unexpected token ']' (words.js:1)`,
      goesOn: true,
    })
    save(folder, 'words.js', `export { words } from './later.js'`)
    expect((await notLoaded(program, 2)).message).toMatch(/could not be loaded: .*later\.js/)
    save(folder, 'agent.js', `console.log('bye')\nprocess.exit(3)`)
    expect((await notLoaded(program, 3)).message).toBe(
      'agent.js ended the process that loaded it, with exit code 3',
    )
    const page = await call(url)
    await says(url, page.call, 'version one a none')
    page.hangUp()
    save(folder, 'agent.js', agent)
    await notLoaded(program, 4)
    // A file that was missing.
    writeFileSync(join(folder, 'later.js'), words('version two'))
    await reloaded(program)
    const next = await call(url)
    await says(url, next.call, 'version two a none')
    program.signal('SIGINT')
    expect(await program.ended(), program.out + program.errors).toBe(0)
    expect(pids(program).filter(isAlive)).toEqual([])
  })

  const hangs = `${agent}\nawait new Promise((resolve) => setTimeout(resolve, 600_000))`

  it('[RL3] ends well while the first version is being loaded', async () => {
    const program = dev(project({ 'agent.js': hangs }))
    await line(program, 'pid')
    program.signal('SIGINT')
    expect(await program.ended(), program.out + program.errors).toBe(0)
    expect(pids(program).filter(isAlive)).toEqual([])
  })

  it.each([
    [
      'while it is loaded anew, because it has changed again',
      async (program: Program, folder: string) => {
        await line(program, 'pid', 2)
        save(folder, 'agent.js', `${hangs}\n// changed`)
        await line(program, 'pid', 3)
      },
    ],
    [
      'while the previous version finishes its call',
      async (program: Program, folder: string) => {
        await line(program, 'pid', 2)
        save(folder, 'agent.js', `${agent}\n// changed`)
        await reloaded(program)
      },
    ],
  ])('[RL3] ends well %s', async (_, moment) => {
    const folder = project()
    const program = dev(folder)
    const page = await call(await program.url())
    save(folder, 'agent.js', hangs)
    await moment(program, folder)
    program.signal('SIGINT')
    await page.until(() => page.closed)
    expect(page.reason).toBe('ended')
    expect(await program.ended(), program.out + program.errors).toBe(0)
    expect(program.lines.at(-1)).toMatchObject({ ended: true, clean: true, sessions: 1 })
    expect(pids(program).filter(isAlive)).toEqual([])
  })
})
