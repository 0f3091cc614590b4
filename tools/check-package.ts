import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

import { exitCodes, runCommand } from '../src/cli/command.ts'
import {
  brokenLinks,
  privatePaths,
  registryAddresses,
  testFiles,
  tooLarge,
  unpackedBytes,
} from './package/contents.ts'
import { installScripts, type Lockfile } from './package/lockfile.ts'
import { wrongTypes } from './package/resolved-types.ts'
import { deadSubpaths, layOut, type Manifest } from './package/subpaths.ts'
import { readTarball } from './package/tarball.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A property that the package must have. */
interface Check {
  readonly name: string
  /** Empty if the package has the property. */
  readonly problems: readonly string[]
}

function print(checks: readonly Check[], size: string): void {
  for (const { name, problems } of checks) {
    console.log(`${problems.length === 0 ? 'ok    ' : 'FAILED'}  ${name}`)
    for (const line of problems.join('\n').split('\n')) if (line !== '') console.log(`        ${line}`)
  }
  console.log(size)
}

interface Result {
  readonly bytes: number
  readonly files: number
  readonly checks: readonly Check[]
}

async function checkPackage(folder: string): Promise<Result> {
  // Without the scripts, because `prepack` would delete and rebuild `dist` while other checks read it.
  const packing = await npm('pack', '--ignore-scripts', '--pack-destination', folder)
  const name = readdirSync(folder).find((file) => file.endsWith('.tgz'))
  if (name === undefined) {
    const problems = [...packing.problems, 'npm pack wrote no tarball']
    return { bytes: 0, files: 0, checks: [{ name: 'npm can pack the package', problems }] }
  }

  const packed = readFileSync(join(folder, name))
  const files = readTarball(packed)
  const manifest: Manifest & { readonly version: string } & Record<string, unknown> = readJson('package.json')
  const lockfile: Lockfile = readJson('package-lock.json')
  const registry = await npm('config', 'get', 'registry')
  layOut(folder, files, manifest, join(root, 'node_modules'))
  const [lint, types, dead] = await Promise.all([
    publintProblems(manifest, packed),
    wrongTypes(files, manifest),
    deadSubpaths(folder, manifest),
  ])
  const checks: Check[] = [
    { name: 'publint finds no problems', problems: lint },
    { name: 'types resolve like the code', problems: types },
    { name: 'every subpath can be imported, has exports, and lets the process exit', problems: dead },
    { name: 'no tests are packed', problems: testFiles(files) },
    { name: 'links lead to packed files, or are absolute', problems: brokenLinks(files) },
    { name: 'no paths of this machine are packed', problems: privatePaths(files, [root, homedir()]) },
    { name: 'no registry addresses are packed', problems: registryAddresses(files, registry.stdout.trim()) },
    { name: 'the package is small', problems: tooLarge(files) },
    { name: 'no dependency has an install script', problems: installScripts(lockfile) },
  ]
  return { bytes: unpackedBytes(files), files: files.size, checks }
}

const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))

/** Runs a program in the root of the repository. If it fails, `problems` has its output. */
async function run(
  program: string,
  args: readonly string[],
): Promise<{ stdout: string; problems: string[] }> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: root }, (error, stdout) => {
      // The message of the error contains stderr.
      resolve({ stdout, problems: error === null ? [] : [error.message, stdout] })
    })
  })
}

async function npm(...args: string[]): Promise<{ stdout: string; problems: string[] }> {
  // Scripts get the path of npm in a variable. Windows would need a shell to run `npm`, which is a batch file there.
  const cli = process.env['npm_execpath']
  return cli === undefined ? run('npm', args) : run(process.execPath, [cli, ...args])
}

async function publintProblems(manifest: Record<string, unknown>, packed: Buffer): Promise<string[]> {
  const tarball = new Uint8Array(packed).buffer
  const { messages } = await publint({ pack: { tarball }, strict: true })
  return messages.map((message) => formatMessage(message, manifest, { color: false }) ?? message.code)
}

await runCommand({
  name: 'npm run check:package --',
  summary: 'Packs endwell for publishing, and checks the files that users would install. Build first.',
  options: {},
  async run({ json }) {
    const folder = mkdtempSync(join(tmpdir(), 'endwell-package-'))
    try {
      const { bytes, files, checks } = await checkPackage(folder)
      const ok = checks.every(({ problems }) => problems.length === 0)
      if (json) console.log(JSON.stringify({ ok, bytes, files, checks }, undefined, 2))
      else print(checks, `${files} files, ${bytes} bytes unpacked`)
      return ok ? exitCodes.ok : exitCodes.failed
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
})
