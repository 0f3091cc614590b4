import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { OptionError, describeError } from '../../scope/index.ts'
import type { HuntProgress, HuntResult } from '../../testing/index.ts'
import { exitCodes, runCommand } from '../command.ts'
import { terminal } from '../terminal.ts'
import { formatCase, formatHunt } from './format-hunt.ts'
import { huntPage } from './hunt-page.ts'
import { forkHunter, hunterLimits, type Launch } from './hunter.ts'
import type { HuntRequest } from './messages.ts'
import { runHunt } from './run-hunt.ts'

export function hunt(args: readonly string[], launch: Launch = forkHunter(hunterLimits)): Promise<void> {
  return runCommand(
    {
      name: 'endwell hunt',
      summary:
        'Hangs up on an agent at every moment of its conversations, ends its calls in every other way, and breaks its models, its\n' +
        'line and the servers of its tools. Prints what did not end well, with the smallest case that shows it and the line of\n' +
        'code. The exit code is 1 if something did not end well.',
      argument: { name: 'FILE', about: 'the agent file', default: 'agent.ts' },
      options: {
        minutes: { type: 'number', about: 'how long the hunt may take', default: 1 },
        moments: {
          type: 'number',
          about: 'at how many moments each conversation is hung up',
          default: 60,
          range: [1, 10_000],
        },
        seed: { type: 'number', about: 'another one tries other moments', default: 1, range: [0, 2 ** 31] },
        case: {
          type: 'number',
          about: 'play one case again, and print its story and its report',
          range: [1, 1e6],
        },
        online: { type: 'boolean', about: 'let the agent’s code reach other machines' },
        page: { type: 'string', value: 'FILE', about: 'also write the result as a page, such as hunt.html' },
      },
      notes: [
        '',
        'The agent’s tools, hooks and handlers really run: their timers in virtual time, their files, processes and connections to',
        'this machine for real. Requests to other machines are not sent: the hunt answers them. No vendor is called, whatever the',
        'options: a script replaces the models. The agent file may export `hunt` with inputs and mocks of tools, and answers of',
        'servers. See docs/hunt.md.',
      ],
      run: async ({ argument, minutes, moments, seed, online, page, json, case: only }) => {
        if (!(minutes > 0)) throw new OptionError(`--minutes must be more than 0, not ${minutes}`)
        const file = argument!
        const limit = minutes * 60_000
        const request = {
          file,
          seed,
          moments,
          limit,
          online,
          skip: [],
          ...(only === undefined ? {} : { case: only }),
        }
        const result = await withSignals((signal) =>
          runHunt(request, launch, signal, json ? ignore : showProgress),
        )
        terminal.progress('')
        if (only !== undefined) print(formatCase(result, request), result, json)
        else {
          const written = page === undefined ? undefined : await writePage(result, request, page)
          print(
            formatHunt(result, request, written),
            { ...result, ...(written ? { page: written } : {}) },
            json,
          )
        }
        await terminal.flush()
        return result.endsWell ? exitCodes.ok : exitCodes.failed
      },
    },
    args,
  )
}

const ignore = (): void => {}

function showProgress({ played, planned, findings }: HuntProgress): void {
  const found = findings === 0 ? 'nothing found yet' : `${findings} found`
  terminal.progress(`${played} of ${planned} calls, ${found}`)
}

/** Ctrl-C ends the hunt after the current call, and prints what was found so far. A second one ends it at once. */
async function withSignals<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const interrupted = (): void => {
    if (stop.signal.aborted) process.exit(exitCodes.failed)
    stop.abort()
  }
  process.on('SIGINT', interrupted)
  process.on('SIGTERM', interrupted)
  try {
    return await work(stop.signal)
  } finally {
    process.off('SIGINT', interrupted)
    process.off('SIGTERM', interrupted)
  }
}

async function writePage(result: HuntResult, request: HuntRequest, page: string): Promise<string> {
  const path = resolve(page)
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, huntPage(result, request))
  } catch (error) {
    throw new OptionError(`--page ${page} cannot be written: ${describeError(error).message}`)
  }
  return pathToFileURL(path).href
}

function print(lines: readonly string[], { cases, ...result }: HuntResult, json: boolean): void {
  if (json) terminal.json({ ...result, cases: cases.length })
  else terminal.print(...lines)
}
