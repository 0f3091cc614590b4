import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { exitCodes, runCommand } from '../src/cli/command.ts'
import { nodeFromNpm } from './node-from-npm.ts'
import { readResults, type Results } from './nodes/results.ts'
import { run } from './nodes/run.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const sdks = join(root, 'test/newest-sdks')

/** One part of the work: a suite on one version of Node, or a check. */
interface Lane extends Results {
  readonly name: string
  readonly seconds: number
}

const say = (text: string): void => console.error(text)

async function timed(name: string, work: () => Promise<Results>): Promise<Lane> {
  say(`== ${name}`)
  const began = performance.now()
  const results = await work()
  return { name, seconds: Math.round((performance.now() - began) / 1_000), ...results }
}

/** Runs tests on a version of Node. Their own output goes to a file: the failures in it are enough. */
async function test(node: string, args: readonly string[]): Promise<Results> {
  const folder = mkdtempSync(join(tmpdir(), 'endwell-nodes-'))
  const file = join(folder, 'results.json')
  try {
    const output = ['--reporter=json', `--outputFile=${file}`]
    const { text } = await run(node, [vitest, 'run', '--allowOnly=false', ...output, ...args], root)
    return readResults(() => readFileSync(file, 'utf8'), text, root)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function check(program: string, args: readonly string[], cwd: string): Promise<Results> {
  const { code, text } = await run(program, args, cwd)
  return { passed: 0, failed: code === 0 ? [] : [text.trim()] }
}

async function lanesOf(version: string, only: readonly string[]): Promise<Lane[]> {
  const node = nodeFromNpm(version, join(root, 'node_modules'))
  if (node === undefined)
    return [{ name: `node ${version}`, passed: 0, failed: ['npm could not install it'], seconds: 0 }]
  const lanes = [await timed(`the suite on node ${version}`, () => test(node, only))]
  if (only.length > 0 || Number.parseInt(version, 10) < 22) return lanes
  const config = [
    '--config',
    join(sdks, 'vitest.config.ts'),
    'test/providers',
    'test/servers',
    'test/newest-sdks',
  ]
  lanes.push(await timed(`the newest SDKs on node ${version}`, () => test(node, config)))
  return lanes
}

async function allLanes(versions: readonly string[], only: readonly string[]): Promise<Lane[]> {
  const npm = (...args: string[]) => check('npm', args, sdks)
  const lanes: Lane[] = []
  // The tests of examples and of the command run what was built.
  lanes.push(await timed('the build', () => check('npm', ['run', '-s', 'build'], root)))
  if (only.length === 0) {
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    lanes.push(
      await timed('npm ci of the newest SDKs', () => npm('ci', ...quiet)),
      await timed('the types of the newest SDKs', () => check(process.execPath, [tsc, '-p', sdks], root)),
    )
  }
  for (const version of versions) lanes.push(...(await lanesOf(version, only)))
  return lanes
}

function print(lanes: readonly Lane[]): void {
  for (const { name, passed, failed, seconds } of lanes) {
    const tests = passed > 0 ? `${passed} tests passed, ${failed.length} failed, ` : ''
    console.log(`${failed.length === 0 ? 'ok    ' : 'FAILED'}  ${name}: ${tests}${seconds} s`)
    for (const failure of failed) console.log(failure.replaceAll(/^/gm, '        '))
  }
}

await runCommand({
  name: 'npm run nodes --',
  summary:
    'Runs the tests on other versions of Node, which it installs from npm into node_modules/.cache. On Node 22 and\n' +
    'later, the tests of the vendors run once more with the SDKs that need it (test/newest-sdks).',
  argument: { name: 'PATH', about: 'run only the test files whose path contains this' },
  options: {
    node: { type: 'string', about: 'versions of Node, separated by commas', default: '22,24' },
  },
  async run({ argument, node, json }) {
    const lanes = await allLanes(node.split(','), argument === undefined ? [] : [argument])
    const ok = lanes.every(({ failed }) => failed.length === 0)
    const passed = lanes.reduce((sum, lane) => sum + lane.passed, 0)
    const failed = lanes.reduce((sum, lane) => sum + lane.failed.length, 0)
    if (json) console.log(JSON.stringify({ ok, passed, failed, lanes }, undefined, 2))
    else {
      print(lanes)
      console.log(`Node ${node.split(',').join(' and ')}: ${passed} tests passed, ${failed} failures`)
    }
    return ok ? exitCodes.ok : exitCodes.failed
  },
})
