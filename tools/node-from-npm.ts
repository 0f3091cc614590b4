import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Installs a version of Node from npm into `node_modules/.cache`, once. Returns the path of its executable, or undefined
 * if npm could not install it.
 *
 * @param version as npm knows it: `24`, or `24.9.0`
 */
export function nodeFromNpm(version: string, modules: string): string | undefined {
  const folder = join(modules, '.cache', `node-${version}`)
  // What the package `node` installs with a script, which npm does not run unless it is allowed to.
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = `node-${platform}-${process.arch}`
  const executable = join(folder, 'node_modules', name, 'bin', platform === 'win' ? 'node.exe' : 'node')
  if (existsSync(executable)) return executable
  mkdirSync(folder, { recursive: true })
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `${name}@${version}`]
  try {
    execFileSync('npm', args, { stdio: 'ignore', timeout: 180_000, shell: platform === 'win' })
  } catch {
    return undefined
  }
  return existsSync(executable) ? executable : undefined
}
