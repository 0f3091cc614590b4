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

/**
 * Writes a package into a folder as `npm install` would, without its development dependencies, and without files that no
 * program loads.
 */
export function layOut(folder: string, files: Files, manifest: Manifest, modules: string): void {
  for (const [path, content] of files) {
    if (/\.(md|d\.ts)$/.test(path)) continue
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

/** Returns the subpaths that cannot be imported, export nothing, or keep the process alive. */
export async function deadSubpaths(
  folder: string,
  { name, exports }: Manifest,
  limit = importTimeout,
): Promise<string[]> {
  // Only a bundler can import a style sheet.
  const modules = Object.keys(exports).filter((subpath) => !subpath.endsWith('.css'))
  const specifiers = modules.map((subpath) => subpath.replace(/^\./, name))
  const patterns = specifiers.filter((each) => each.includes('*'))
  const whole = specifiers.filter((each) => !each.includes('*'))
  const unlisted = patterns.map((each) => `${each} is a pattern: list each subpath instead`)
  // All at once, because processes are expensive. Only if that fails, one by one, to name the culprit.
  if ((await problemOf(folder, whole, limit)) === undefined) return unlisted
  const problems: string[] = []
  for (const each of whole) {
    const problem = await problemOf(folder, [each], limit)
    if (problem !== undefined) problems.push(`${each} ${problem}`)
  }
  return [...problems, ...unlisted]
}

async function problemOf(
  folder: string,
  specifiers: readonly string[],
  limit: number,
): Promise<string | undefined> {
  const imports = specifiers.map((each) => {
    const attributes = each.endsWith('.json') ? `, { with: { type: 'json' } }` : ''
    return `Object.keys(await import('${each}'${attributes})).length`
  })
  const program = `console.log(Math.min(${imports.join(', ')}))`
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
