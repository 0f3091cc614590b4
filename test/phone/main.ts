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
    'Rings the demo with a recording, and tells the call as it goes: somebody books an appointment, says goodbye, and is\n' +
    'said goodbye to. Starts the demo unless one runs. With --matrix: ends calls over real sockets at every event and at\n' +
    'random instants, by either side, and lets them go wrong in every way; counts what is left.',
  argument: { name: 'FILE.wav', about: 'what the caller says, with pauses', default: booking },
  options: {
    url: { type: 'string', about: 'where the demo runs', default: 'http://127.0.0.1:4600' },
    out: { type: 'string', about: 'where to write what is heard', default: 'heard.wav' },
    matrix: { type: 'boolean', about: 'end calls at every moment instead' },
    random: { type: 'number', about: 'how many random instants there are in the matrix', default: 200 },
    every: { type: 'number', about: 'every how many of its other cases are lived', default: 1 },
    seed: { type: 'number', about: 'where its chance begins', default: 1 },
    filter: { type: 'string', about: 'only its cases whose name has this in it', default: '' },
  },
  run: async ({ argument, url, out, matrix, random, every, seed, filter, json }) => {
    if (!matrix) return ringDemo(argument!, url, out, json)
    return tell(await runMatrix({ random, every: Math.max(1, every), seed, filter, progress }), json)
  },
})

async function ringDemo(file: string, url: string, out: string, json: boolean): Promise<number> {
  const runs = await fetch(new URL('/api/info', url)).then(
    (response) => response.ok,
    () => false,
  )
  if (runs) return (await ring({ file, url, out, json })).heard > 0 ? exitCodes.ok : exitCodes.failed
  if (!json) console.log('no demo runs: it is started')
  // Its agent is a program like any other: it imports the package as it is published.
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

function tell({ outcomes, leaked, unreported, left }: MatrixResult, json: boolean): number {
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
      `${calls} calls: ${leaked} things left behind, ${unreported} not reported, ${failed.length} not right`,
    )
  }
  return leaked + unreported + failed.length === 0 ? exitCodes.ok : exitCodes.failed
}

function progress(done: number, of: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${done} of ${of} calls${done === of ? '\n' : ''}`)
}
