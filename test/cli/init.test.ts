import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { installedPackage } from '../compiled.ts'
import { manifest } from '../house/tree.ts'
import { Program } from '../program.ts'
import { productionFolder } from './production.ts'
import { runCommand } from './run-command.ts'
import { runProgram } from './run-program.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'endwell-init-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function init(args: readonly string[]): Promise<{ code: number; text: string }> {
  const { code, out, errors } = await runCommand(['init', ...args])
  return { code, text: `${out}${errors}` }
}

interface Project {
  readonly scripts: { readonly test: string }
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

const packageOf = (folder: string): Project =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Project

/** Links what `npm install` would install, and nothing else. */
function install(folder: string, endwell: string, into = folder): void {
  const { dependencies, devDependencies } = packageOf(folder)
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const place = join(into, 'node_modules', name)
    mkdirSync(dirname(place), { recursive: true })
    rmSync(place, { force: true })
    symlinkSync(name === 'endwell' ? endwell : join(root, 'node_modules', name), place, 'dir')
  }
}

async function passes(folder: string, args: readonly string[]): Promise<void> {
  const program = new Program(args, { cwd: folder })
  onTestFinished(() => program.signal('SIGKILL'))
  expect([await program.ended(), program.out + program.errors]).toEqual([0, expect.anything()])
}

describe('endwell init', { timeout: 120_000 }, () => {
  it('[IN1] writes projects whose types and tests pass without a key', async () => {
    const parent = emptyFolder()
    const lines = { local: 'browser', openai: 'phone', gemini: 'browser' }
    for (const [models, line] of Object.entries(lines))
      expect(await init([join(parent, models), '--yes', '--models', models, '--line', line])).toMatchObject({
        code: 0,
      })
    const [first = '', ...others] = Object.keys(lines).map((models) => join(parent, models))
    const { scripts, dependencies, devDependencies } = packageOf(first)
    expect(scripts.test).toBe('tsc && node --import tsx --test agent.test.ts')
    expect(dependencies['endwell']).toBe(`^${manifest.version}`)
    expect(others.map(packageOf)).toMatchObject(others.map(() => ({ dependencies, devDependencies })))
    install(first, root, parent)
    // One compiler for all of them, with the options of the first.
    const config = { extends: './local/tsconfig.json', include: ['*/*.ts'] }
    writeFileSync(join(parent, 'tsconfig.json'), JSON.stringify(config))
    await passes(parent, [join(root, 'node_modules/typescript/bin/tsc')])
    // The installed package has no types, but its modules are joined, and load faster.
    install(first, installedPackage(), parent)
    const tests = [first, ...others].map((folder) => join(folder, 'agent.test.ts'))
    await passes(parent, ['--import', 'tsx', '--test', ...tests])
  })

  it('[IN1] writes a project that answers calls at once, with the .env of its example', async () => {
    const folder = emptyFolder()
    expect(await init([folder, '--yes', '--models', 'openai', '--line', 'phone'])).toMatchObject({ code: 0 })
    install(folder, installedPackage())
    cpSync(join(folder, '.env.example'), join(folder, '.env'))
    const program = runProgram(['dev', 'agent.ts', '--json', '--port', '0'], { cwd: folder })
    const info = (await (await fetch(new URL('/api/info', await program.url()))).json()) as object
    expect(info).toMatchObject({ name: 'Front desk', models: { llm: 'scripted' } })
    program.signal('SIGINT')
    expect(await program.ended()).toBe(0)
  })

  it('[IN1] overwrites nothing, and says what is wrong', async () => {
    const folder = emptyFolder()
    writeFileSync(join(folder, 'notes.txt'), '')
    expect(await init([folder, '--yes'])).toEqual({
      code: 1,
      text: `${folder} is not empty: it has notes.txt. Name another folder\n`,
    })
    const other = join(folder, 'other')
    expect(await init([other, '--models', 'opnai'])).toEqual({
      code: 1,
      text: "--models must be local or openai or gemini, not 'opnai'. Did you mean 'openai'?\n",
    })
    expect(await init([other, '--name', 'Front Desk'])).toMatchObject({ code: 1 })
  })
})

it('endwell --version prints the version', async () => {
  expect(await runCommand(['--version'])).toMatchObject({ code: 0, out: `${manifest.version}\n` })
})

it('endwell dev reads the file .env', async () => {
  const ended = await runCommand(['dev', 'agent.js'], { cwd: productionFolder({ '.env': 'PORT=none' }) })
  expect(ended.code).toBe(1)
  expect(ended.errors).toBe("PORT in the environment must be a whole number from 0 to 65535, not 'none'\n")
})

it('[IN1] npm create endwell does the same', async () => {
  const folder = emptyFolder()
  const create = join(folder, 'node_modules/create-endwell')
  cpSync(join(root, 'create-endwell'), create, { recursive: true })
  symlinkSync(root, join(folder, 'node_modules/endwell'), 'dir')
  const { bin, dependencies } = JSON.parse(readFileSync(join(create, 'package.json'), 'utf8')) as {
    bin: Record<string, string>
    dependencies: Record<string, string>
  }
  expect(dependencies).toEqual({ endwell: manifest.version })
  const program = new Program([join(create, bin['create-endwell']!), 'desk', '--yes', '--json'], {
    cwd: folder,
  })
  expect(await program.ended()).toBe(0)
  expect(program.lines[0]).toMatchObject({ folder: join(folder, 'desk'), name: 'desk', models: 'local' })
})
