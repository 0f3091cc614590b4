import { execFile, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { launchChromium } from '../../test/browser/chromium.ts'

const run = promisify(execFile)

/** Seconds from `npm start` until the agent is heard in a page; the packages are there. */
export function startToTalk(): Promise<number> {
  return inFreshCopy(async (folder, browser) => {
    symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
    return await seconds(() => talk(folder, browser))
  })
}

/** The same from `npm ci`, with nothing in npm's cache. */
export function cloneToTalk(): Promise<number> {
  return inFreshCopy(async (folder, browser) =>
    seconds(async () => {
      await run('npm', ['ci', '--cache', join(folder, '.npm')], { cwd: folder })
      await talk(folder, browser)
    }),
  )
}

/** Starts it as a newcomer does, calls from the page, and ends it when the agent speaks. */
async function talk(folder: string, browser: Browser): Promise<void> {
  // A group of its own: npm has a shell, and that has the program.
  const npm = spawn('npm', ['start', '--silent', '--', '--port', '0', '--json'], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(npm, 'exit')
  try {
    const page = await browser.newPage()
    await page.addInitScript(noticeSpeaking)
    await page.goto(await urlOf(npm.stdout))
    await page.getByRole('button', { name: /^Call/ }).click()
    await page.evaluate('speaks')
    await page.getByRole('button', { name: 'Hang up' }).click()
    await page.close()
  } finally {
    process.kill(-npm.pid!, 'SIGINT')
    await ended
  }
}

/** The audio thread says when it renders sound. */
const noticeSpeaking = `
  globalThis.speaks = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('the agent was not heard')), 60_000)
    const Node = AudioWorkletNode
    globalThis.AudioWorkletNode = class extends Node {
      constructor(...args) {
        super(...args)
        this.port.addEventListener('message', ({ data }) => data.type === 'speaking' && resolve())
      }
    }
  })
  speaks.catch(() => {})`

async function urlOf(output: NodeJS.ReadableStream): Promise<string> {
  const said: string[] = []
  for await (const line of createInterface(output)) {
    if (line.startsWith('{')) return (JSON.parse(line) as { readonly url: string }).url
    said.push(line)
  }
  throw new Error(`npm start ended without an address:\n${said.slice(-20).join('\n')}`)
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1_000
}

/** What a clone of the repository as it is now would have. The browser is open already, as everybody's is. */
async function inFreshCopy<T>(work: (folder: string, browser: Browser) => Promise<T>): Promise<T> {
  const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '-z'])
  const folder = mkdtempSync(join(tmpdir(), 'endwell-start-'))
  const browser = await launchChromium()
  try {
    for (const file of stdout.split('\0').filter((each) => each !== '' && existsSync(each))) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      cpSync(file, join(folder, file))
    }
    return await work(folder, browser)
  } finally {
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
