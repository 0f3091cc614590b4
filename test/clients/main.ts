import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { describeError } from '../../src/scope/index.ts'
import { OwnPackages } from '../../tools/own-packages.ts'
import { cases, type ClientCase } from './cases.ts'
import { clientNames, type ClientName } from './client-page.ts'
import { consolePictures } from './console-pictures.ts'
import { Stage, buildOnce } from './stage.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const packages = new OwnPackages(folder)
const consolePackages = new OwnPackages(join(folder, 'console'))
const picturesFolder = join(folder, '../../docs/pictures')

/** Calls at once. They mostly wait. */
const CALLS_AT_ONCE = 2
/** Calls that the host takes at once: a page that is reloaded may call again before its first call has ended. */
const PLACES = 2 * CALLS_AT_ONCE

interface Wanted {
  readonly client: ClientName
  readonly one: ClientCase
}

interface Result {
  readonly client: ClientName
  readonly name: string
  readonly reason?: string
  readonly problem?: string
}

await runCommand({
  name: 'npm run clients --',
  summary:
    "Has clients that other people wrote call the demo: Pipecat's client for the web over WebSocket and over WebRTC, and its\n" +
    'hooks for React, in a real Chromium. They talk, are interrupted, are hung up on, hang up, lose their network, and close their tab. Each\n' +
    'session must end within 10 s, for the right reason, and leave nothing behind. Installs the clients into test/clients.',
  options: {
    short: {
      type: 'boolean',
      about:
        'run all but the longest cases with the first client, and only the most important ones with the others',
    },
    filter: {
      type: 'string',
      about: 'only cases whose client and name contain this, like "webrtc: is interrupted"',
      default: '',
    },
    times: { type: 'number', about: 'run each case so many times', default: 1 },
    pictures: {
      type: 'boolean',
      about:
        "instead, take the pictures of docs/clients.md: the console of Pipecat's Voice UI Kit calls the demo",
    },
  },
  async run({ short, filter, times, pictures, json }) {
    try {
      await (pictures ? consolePackages : packages).install()
      await (pictures ? consolePackages : packages).checkTypes()
    } catch (error) {
      console.error(describeError(error).message)
      return exitCodes.failed
    }
    if (pictures) return await takePictures(json)
    const wanted: Wanted[] = clientNames.flatMap((client) =>
      cases
        .filter(
          ({ name, only = clientNames }) => titleOf(client, name).includes(filter) && only.includes(client),
        )
        .filter(({ inShort = [clientNames[0]] }) => !short || inShort.includes(client))
        .flatMap((one) => Array.from({ length: times }, () => ({ client, one }))),
    )
    const stage = await Stage.open(PLACES)
    const results: Result[] = []
    try {
      const run = async ({ client, one }: Wanted): Promise<void> => {
        const result = await resultOf(stage, client, one)
        results.push(result)
        if (!json) print(result)
      }
      for (const each of wanted) if (each.one.alone) await run(each)
      const waiting = wanted.filter(({ one }) => !one.alone)
      const work = async (): Promise<void> => {
        for (let next = waiting.shift(); next; next = waiting.shift()) await run(next)
      }
      await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work))
      const last = await endOfHost(stage)
      results.push(...last.results)
      if (!json) for (const result of last.results) print(result)
      for (const each of last.left) console.error(`✗ left behind: ${each}`)
      const failed = results.filter(({ problem }) => problem !== undefined).length
      const leaked = last.left.length
      const summary = { clients: clientNames.length, calls: results.length, failed, leaked }
      console.log(JSON.stringify(json ? { results, ...summary } : summary))
      return failed + leaked === 0 ? exitCodes.ok : exitCodes.failed
    } finally {
      await stage.close()
    }
  },
})

async function takePictures(json: boolean): Promise<number> {
  buildOnce()
  const bytes: Record<string, number> = {}
  for (const [name, picture] of await consolePictures()) {
    writeFileSync(join(picturesFolder, name), picture)
    bytes[name] = picture.length
  }
  console.log(
    json ? JSON.stringify({ bytes }) : `the pictures are in docs/pictures: ${Object.keys(bytes).join(', ')}`,
  )
  return exitCodes.ok
}

async function resultOf(stage: Stage, client: ClientName, one: ClientCase): Promise<Result> {
  const { name } = one
  await using page = await stage.page(client)
  try {
    await one.run(page, stage)
    const report = await stage.report(page.call)
    const { reason, clean } = report
    if (!one.reasons.includes(reason))
      return { client, name, reason, problem: `it ended as ${reason}, not ${one.reasons.join(' or ')}` }
    if (!clean) {
      const errors = report.errors.map(({ error }) => error.message)
      return { client, name, reason, problem: ['the session did not close cleanly', ...errors].join('; ') }
    }
    await one.check?.(report, page)
    const [error] = page.errors
    return { client, name, reason, ...(error === undefined ? {} : { problem: `the page threw: ${error}` }) }
  } catch (error) {
    const problem = [describeError(error).message, ...page.errors].join('; the page threw: ')
    return { client, name, problem }
  }
}

/** Fills the host, has it refuse a call, and stops it while calls are under way. */
async function endOfHost(stage: Stage): Promise<{ results: Result[]; left: string[] }> {
  const [client] = clientNames
  const left = (await stage.unended()).map(({ id }) => `session ${id}`)
  const pages = await Promise.all(Array.from({ length: PLACES + 1 }, () => stage.page(client)))
  const [last, ...others] = pages
  const results: Result[] = []
  const note = async (name: string, check: () => Promise<string | undefined>): Promise<void> => {
    const problem = await check().catch((error: unknown) => describeError(error).message)
    results.push({ client, name, ...(problem === undefined ? {} : { problem }) })
  }
  try {
    await Promise.all(others.map((page) => page.calls()))
    await note('is refused when all lines are busy', async () => {
      const shown = await last!.isRefused()
      return shown === 'all lines are busy: try again later' ? undefined : `it shows '${shown}'`
    })
    left.push(...(await stage.stopHost()))
    for (const page of others)
      await note('is told that the host has ended the call', async () => {
        await page.isDisconnected()
        const ended = stage.host.lines.find(
          ({ session, reason }) => session === page.call && reason !== undefined,
        )
        return ended?.['reason'] === 'host-draining' ? undefined : `it ended as ${String(ended?.['reason'])}`
      })
  } finally {
    await Promise.all(pages.map((page) => page[Symbol.asyncDispose]()))
  }
  return { results, left }
}

function print({ client, name, reason, problem }: Result): void {
  const mark = problem === undefined ? '✓' : '✗'
  console.log(
    [`${mark} ${titleOf(client, name)}`, reason, problem].filter((each) => each !== undefined).join(' · '),
  )
}

function titleOf(client: ClientName, name: string): string {
  return `${client}: ${name}`
}
