import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { ring } from '../../src/cli/phone.ts'
import { Program } from '../program.ts'
import { runMatrix, type MatrixResult } from './matrix.ts'
import { table } from './table.ts'

const booking = fileURLToPath(new URL('../fixtures/speech/phone/booking.wav', import.meta.url))

await runCommand({
  name: 'npm run phone --',
  summary:
    'Calls the demo with a recording in which the caller books an appointment and says goodbye, and prints what happens.\n' +
    'Starts the demo if it is not running. With --matrix: ends calls over real sockets at every event and at random times,\n' +
    'from either side, runs calls with every kind of failure, and counts what is left.',
  argument: { name: 'FILE.wav', about: 'the recording of the caller, with pauses', default: booking },
  options: {
    url: { type: 'string', about: 'the address of the demo', default: 'http://127.0.0.1:4600' },
    out: { type: 'string', about: 'the file to write what the caller hears to', default: 'heard.wav' },
    matrix: { type: 'boolean', about: 'run the matrix instead' },
    random: { type: 'number', about: 'matrix: how many calls to end at a random time', default: 200 },
    every: { type: 'number', about: 'matrix: run only every Nth of the other cases', default: 1 },
    seed: { type: 'number', about: 'matrix: the seed of the random cases', default: 1 },
    filter: { type: 'string', about: 'matrix: run only cases whose name contains this text', default: '' },
  },
  run: async ({ argument, url, out, matrix, random, every, seed, filter, json }) => {
    if (!matrix) return ringDemo(argument!, url, out, json)
    return printResult(await runMatrix({ random, every: Math.max(1, every), seed, filter, progress }), json)
  },
})

async function ringDemo(file: string, url: string, out: string, json: boolean): Promise<number> {
  const runs = await fetch(new URL('/api/info', url)).then(
    (response) => response.ok,
    () => false,
  )
  if (runs) return (await ring({ file, url, out, json })).heard > 0 ? exitCodes.ok : exitCodes.failed
  if (!json) console.log('the demo is not running: starting it')
  // The agent of the demo imports the package as it is published, so that it has to be built.
  if (!existsSync('dist/cli/main.js'))
    execFileSync('npm', ['run', '-s', 'build'], { stdio: ['ignore', 2, 2] })
  const demo = Program.command([
    'dev',
    'examples/clinic/agent.ts',
    '--model',
    'local',
    '--json',
    '--port',
    '0',
  ])
  const { heard } = await ring({ file, url: await demo.url(), out, json, stays: false, env: {} })
  demo.signal('SIGTERM')
  const code = await demo.ended()
  return heard > 0 && code === 0 ? exitCodes.ok : exitCodes.failed
}

function printResult({ outcomes, leaked, unreported, left }: MatrixResult, json: boolean): number {
  const failed = outcomes.filter(({ problems }) => problems.length > 0)
  for (const { name, problems, story } of failed)
    console.error(`✗ ${name}: ${problems.join('; ')}\n  ${story.join(' · ')}`)
  for (const what of left) console.error(`✗ left behind: ${what}`)
  const calls = outcomes.length
  if (json) {
    const worstMs = Math.round(Math.max(0, ...outcomes.map(({ took }) => took)))
    console.log(JSON.stringify({ failed: failed.length, worstMs, left }))
    console.log(JSON.stringify({ calls, leaked, unreported }))
  } else {
    console.log(table(outcomes))
    console.log(
      `${calls} calls: ${leaked} things left behind, ${unreported} not reported, ${failed.length} failed`,
    )
  }
  return leaked + unreported + failed.length === 0 ? exitCodes.ok : exitCodes.failed
}

function progress(done: number, of: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${done} of ${of} calls${done === of ? '\n' : ''}`)
}
