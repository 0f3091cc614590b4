import { execFile } from 'node:child_process'
import { describe, expect, expectTypeOf, it } from 'vitest'

import { helpFor, readArguments, type Reading } from '../../src/cli/command.ts'
import { root } from './tree.ts'

const command = {
  name: 'npm run example --',
  summary: 'Shows how options are read.',
  options: {
    seeds: { type: 'number', about: 'how many seeds to try', default: 100 },
    from: { type: 'number', about: 'the first seed' },
    only: { type: 'string', about: 'run one scenario' },
    quick: { type: 'boolean', about: 'leave out the slow ones' },
  },
  run: async () => 0,
} as const

const values = (...args: string[]): unknown => {
  const reading = readArguments(command, args)
  return reading.kind === 'run' ? reading.values : reading
}

describe('the options of a command', () => {
  it('have their defaults', () => {
    expect(values()).toEqual({ seeds: 100, from: undefined, only: undefined, quick: false, json: false })
  })

  it('can be written with a space or an equals sign, and numbers become numbers', () => {
    expect(values('--seeds', '7', '--from=-1', '--only', 'barge-in', '--quick', '--json')).toEqual({
      seeds: 7,
      from: -1,
      only: 'barge-in',
      quick: true,
      json: true,
    })
  })

  it('can be mixed with one positional argument, if the command takes one', () => {
    const argument = { name: 'FILE', about: 'the agent', default: 'agent.ts' }
    const wanting = { ...command, argument }
    expect(readArguments(wanting, ['clinic.ts', '--quick'])).toMatchObject({
      values: { argument: 'clinic.ts', quick: true },
    })
    expect(readArguments(wanting, [])).toMatchObject({ values: { argument: 'agent.ts' } })
    expect(readArguments(wanting, ['one', 'two'])).toMatchObject({
      kind: 'misuse',
      text: expect.stringContaining('Expected one FILE'),
    })
    expect(helpFor(wanting)).toContain('[FILE] [options]\n\n  FILE  the agent (default: agent.ts)')
  })

  it('have the declared types', () => {
    type Read = Extract<Reading<(typeof command)['options']>, { kind: 'run' }>['values']
    expectTypeOf<Read['seeds']>().toEqualTypeOf<number>()
    expectTypeOf<Read['from']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Read['only']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Read['quick']>().toEqualTypeOf<boolean>()
    expectTypeOf<Read['json']>().toEqualTypeOf<boolean>()
  })

  it.each([
    [['--sedes', '7'], `'--sedes'`],
    [['stray'], `'stray'`],
    [['--seeds'], `'--seeds <value>'`],
    [['--seeds', 'many'], `Option '--seeds' must be a number, not 'many'`],
    [['--seeds='], `Option '--seeds' must be a number, not ''`],
    [['--quick=yes'], `'--quick'`],
  ])('are refused if they are invalid: %s', (args, problem) => {
    const reading = readArguments(command, args)
    expect(reading).toMatchObject({ kind: 'misuse', text: expect.stringContaining(problem) })
    expect(reading).toMatchObject({ text: expect.stringContaining('See npm run example -- --help') })
  })

  it('are listed by --help', () => {
    const text = helpFor(command)
    expect(readArguments(command, ['--seeds', '7', '--help'])).toEqual({ kind: 'help', text })
    expect(text.split('\n')).toEqual([
      'Usage: npm run example -- [options]',
      '',
      'Shows how options are read.',
      '',
      'Options:',
      '  --seeds <number>  how many seeds to try (default: 100)',
      '  --from <number>   the first seed',
      '  --only <string>   run one scenario',
      '  --quick           leave out the slow ones',
      '  --json            print the result as JSON',
      '  --help            print this help',
    ])
  })
})

interface Ended {
  readonly code: unknown
  readonly stdout: string
  readonly stderr: string
}

const program = `
import { runCommand } from './dist/cli/command.js'
await runCommand({ name: 'x', summary: 'Exits.', options: { code: { type: 'number', about: 'the exit code', default: 0 } },
  run: async ({ code }) => { console.log('ran'); return code } }, process.argv.slice(1))`

const run = async (...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const all = ['--input-type=module', '--eval', program, '--', ...args]
    execFile(process.execPath, all, { cwd: root }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
  })

describe('a command', () => {
  it('exits with the code that it returns, or with 2 if its arguments are invalid', async () => {
    const [fine, failed, misused, asked] = await Promise.all([
      run(),
      run('--code', '1'),
      run('--cod', '1'),
      run('--help'),
    ])
    expect(fine).toEqual({ code: 0, stdout: 'ran\n', stderr: '' })
    expect(failed).toEqual({ code: 1, stdout: 'ran\n', stderr: '' })
    expect(misused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`'--cod'`) })
    expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: x'), stderr: '' })
  })
})
