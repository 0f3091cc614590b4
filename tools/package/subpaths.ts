import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { Files } from './tarball.ts'

const importTimeout = 30_000

export interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Writes a package into a folder as `npm install` would, without its development dependencies. */
export function layOut(folder: string, files: Files, manifest: Manifest, modules: string): void {
  for (const [path, content] of files) {
    const target = join(folder, 'node_modules', manifest.name, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, content)
  }
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    if (!existsSync(join(modules, name))) continue
    const target = join(folder, 'node_modules', name)
    mkdirSync(dirname(target), { recursive: true })
    symlinkSync(join(modules, name), target, 'junction')
  }
}

/** Imports each subpath in its own process. Returns those that fail, export nothing, or keep the process alive. */
export async function deadSubpaths(
  folder: string,
  { name, exports }: Manifest,
  limit = importTimeout,
): Promise<string[]> {
  const problems = await Promise.all(
    Object.keys(exports).map(async (subpath) => {
      const specifier = subpath.replace(/^\./, name)
      const problem = subpath.includes('*')
        ? 'is a pattern: list each subpath instead'
        : await problemOf(folder, specifier, limit)
      return problem === undefined ? [] : [`${specifier} ${problem}`]
    }),
  )
  return problems.flat()
}

async function problemOf(folder: string, specifier: string, limit: number): Promise<string | undefined> {
  const attributes = specifier.endsWith('.json') ? `, { with: { type: 'json' } }` : ''
  const program = `console.log(Object.keys(await import('${specifier}'${attributes})).length)`
  const args = ['--no-warnings', '--input-type=module', '--eval', program]
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, timeout: limit }, (error, stdout, stderr) => {
      const [message] = /^\w*Error.*$/m.exec(stderr) ?? [stderr]
      if (error?.killed === true) resolve(`kept its process alive for more than ${limit} ms`)
      else if (error !== null) resolve(`cannot be imported: ${message}`)
      else resolve(Number(stdout) > 0 ? undefined : 'has no exports')
    })
  })
}
