import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { ring } from '../../src/cli/phone/ring.ts'
import { noop } from '../../src/scope/index.ts'
import { formatSession } from '../../src/session/index.ts'
import { Program } from '../program.ts'
import { runMatrix, type MatrixResult } from './matrix.ts'
import { runMoment } from './moments.ts'
import { table } from './table.ts'
import { takeTour } from './tour.ts'

const booking = fileURLToPath(new URL('../fixtures/speech/phone/booking.wav', import.meta.url))

await runCommand({
  name: 'npm run phone --',
  summary:
    'Calls the demo with a recording in which the caller books an appointment and says goodbye, and prints what happens.\n' +
    'Starts the demo if it is not running. With --tour: the demo calls a person, leaves a message on a machine, and hands a\n' +
    'caller over to a colleague, with a summary. With --matrix: ends calls over real sockets at every event and at random times,\n' +
    'from either side, runs calls with every kind of failure, and counts what is left. Then it ends calls out, messages, transfers, keys\n' +
    'and recordings at random moments, in virtual time, with a carrier that is rude in random ways.',
  argument: { name: 'FILE.wav', about: 'the recording of the caller, with pauses', default: booking },
  options: {
    url: { type: 'string', about: 'the address of the demo', default: 'http://127.0.0.1:4600' },
    out: { type: 'string', about: 'the file to write what the caller hears to', default: 'heard.wav' },
    tour: {
      type: 'boolean',
      about: 'have the demo call a person and a machine, and hand a caller over, instead',
    },
    matrix: { type: 'boolean', about: 'run the matrix instead' },
    random: { type: 'number', about: 'matrix: how many calls to end at a random time', default: 200 },
    moments: {
      type: 'number',
      about: 'matrix: how many calls out, messages, transfers, keys and recordings to end',
      default: 1_000,
    },
    every: { type: 'number', about: 'matrix: run only every Nth of the other cases', default: 1 },
    seed: { type: 'number', about: 'matrix: the seed of the random cases', default: 1 },
    filter: { type: 'string', about: 'matrix: run only cases whose name contains this text', default: '' },
  },
  run: async ({ argument, url, out, tour, matrix, random, moments, every, seed, filter, json }) => {
    if (tour) return await showTour(json)
    if (!matrix) return ringDemo(argument!, url, out, json)
    const result = await runMatrix({ random, every: Math.max(1, every), seed, filter, progress })
    return printResult(result, await runMoments(moments, seed), json)
  },
})

async function showTour(json: boolean): Promise<number> {
  buildOnce()
  const { person, machine, caller, ringsOn, code } = await takeTour({
    tell: json ? noop : console.log,
    out: 'message.wav',
  })
  const [transfer] = caller?.transfers ?? []
  const ok =
    person?.reason === 'agent-hung-up' &&
    machine?.messages?.[0]?.heard === true &&
    transfer?.outcome === 'answered' &&
    transfer.consultation !== undefined &&
    ringsOn + code === 0
  if (json) console.log(JSON.stringify({ person, machine, caller }))
  else if (caller) console.log(`\n${formatSession(caller, { transcript: true })}\n`)
  console.log(JSON.stringify({ ok, ringsOn }))
  return ok ? exitCodes.ok : exitCodes.failed
}

/** The agent of the demo imports the package as it is published, so that it has to be built. */
function buildOnce(): void {
  if (existsSync('dist/cli/main.js')) return
  execFileSync('npm', ['run', '-s', 'build'], { stdio: ['ignore', 2, 2] })
}

async function ringDemo(file: string, url: string, out: string, json: boolean): Promise<number> {
  const runs = await fetch(new URL('/api/info', url)).then(
    (response) => response.ok,
    () => false,
  )
  if (runs) return (await ring({ voice: file, url, out, json })).ok ? exitCodes.ok : exitCodes.failed
  if (!json) console.log('the demo is not running: starting it')
  buildOnce()
  const demo = Program.command([
    'dev',
    'examples/clinic/agent.ts',
    '--model',
    'local',
    '--json',
    '--port',
    '0',
  ])
  const { ok } = await ring({ voice: file, url: await demo.url(), out, json, stays: false, env: {} })
  demo.signal('SIGTERM')
  const code = await demo.ended()
  return ok && code === 0 ? exitCodes.ok : exitCodes.failed
}

interface Moments {
  readonly count: number
  readonly leaked: number
  readonly unreported: number
  readonly ringsOn: number
  readonly cutOff: number
}

async function runMoments(count: number, seed: number): Promise<Moments> {
  const sums = { leaked: 0, unreported: 0, ringsOn: 0, cutOff: 0 }
  for (let done = 0; done < count; done++) {
    const { story, problem, ...found } = await runMoment(seed * 1_000_000 + done)
    const { leaked, unreported, ringsOn, cutOff } = found
    sums.leaked += leaked
    sums.unreported += unreported
    sums.ringsOn += ringsOn
    sums.cutOff += cutOff
    if (leaked + unreported + ringsOn + cutOff > 0)
      console.error(
        `✗ ${[`moment ${found.seed}`, ...story, ...(problem === undefined ? [] : [problem])].join(' · ')}`,
      )
    progress(done + 1, count)
  }
  return { count, ...sums }
}

function printResult(result: MatrixResult, moments: Moments, json: boolean): number {
  const { outcomes, left } = result
  const failed = outcomes.filter(({ problems }) => problems.length > 0)
  for (const { name, problems, story } of failed)
    console.error(`✗ ${name}: ${problems.join('; ')}\n  ${story.join(' · ')}`)
  for (const what of left) console.error(`✗ left behind: ${what}`)
  const calls = outcomes.length + moments.count
  const leaked = result.leaked + moments.leaked
  const unreported = result.unreported + moments.unreported
  const { ringsOn, cutOff } = moments
  if (json) {
    const worstMs = Math.round(Math.max(0, ...outcomes.map(({ took }) => took)))
    console.log(JSON.stringify({ failed: failed.length, worstMs, left, cutOff }))
    console.log(JSON.stringify({ calls, leaked, unreported, ringsOn }))
  } else {
    console.log(table(outcomes))
    console.log(
      `${calls} calls: ${leaked} things left behind, ${unreported} not reported, ${ringsOn} ring on, ${cutOff} cut off, ${failed.length} failed`,
    )
  }
  return leaked + unreported + ringsOn + cutOff + failed.length === 0 ? exitCodes.ok : exitCodes.failed
}

function progress(done: number, of: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${done} of ${of} calls${done === of ? '\n' : ''}`)
}
