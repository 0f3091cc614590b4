import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkRtviOptions, checkWebRtc } from '../../lines/index.ts'
import { describeError } from '../../scope/index.ts'
import type { AgentFile } from '../agent-file.ts'
import { handlersProblem } from '../work/index.ts'
import { AgentFileError, PackagesMissingError } from './errors.ts'
import { loadProblem } from './load-problem.ts'
import { missingImports } from './missing-imports.ts'

/** Loads the default export of an agent file. */
export async function loadAgent(file: string): Promise<AgentFile> {
  const path = resolve(file)
  if (!existsSync(path)) throw new AgentFileError(file, 'does not exist')
  if (!statSync(path).isFile())
    throw new AgentFileError(file, `is not a file: name the module, for example ${join(file, 'agent.ts')}`)
  // A CommonJS file would load a second copy of endwell, whose agents are of another class.
  if (isCommonJs(path))
    throw new AgentFileError(
      file,
      `must be an ES module: add "type": "module" to package.json, or rename it to ${renamed(file)}`,
    )
  if (path.endsWith('ts') && !readsTypeScript()) await registerTsx(file, path)
  try {
    const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown }
    return check(file, module.default)
  } catch (error) {
    throw error instanceof AgentFileError ? error : await notLoaded(file, path, error)
  }
}

/** Whether this version of Node runs TypeScript itself. */
export function readsTypeScript(): boolean {
  return 'typescript' in process.features && process.features.typescript !== false
}

/** For versions of Node that do not run TypeScript themselves. */
async function registerTsx(file: string, path: string): Promise<void> {
  try {
    const { register } = await import('tsx/esm/api')
    register()
  } catch (error) {
    throw new PackagesMissingError(file, ['tsx', ...missingImports(path)], { cause: error })
  }
}

async function notLoaded(file: string, path: string, error: unknown): Promise<Error> {
  const { code } = error as { code?: string }
  const missing = code === 'ERR_MODULE_NOT_FOUND' ? missingImports(path) : []
  if (missing.length > 0) return new PackagesMissingError(file, missing, { cause: error })
  return new AgentFileError(file, `could not be loaded: ${await loadProblem(path, error)}`, { cause: error })
}

function isCommonJs(path: string): boolean {
  const extension = extname(path)
  if (/^\.c[jt]s$/.test(extension)) return true
  if (/^\.m[jt]s$/.test(extension)) return false
  const type = packageType(dirname(path))
  // Without a type, Node detects the syntax. tsx does not.
  return type === undefined ? extension === '.ts' && !readsTypeScript() : type === 'commonjs'
}

/** The `type` of the nearest package. */
function packageType(folder: string): unknown {
  const manifest = join(folder, 'package.json')
  if (existsSync(manifest)) return (JSON.parse(readFileSync(manifest, 'utf8')) as { type?: unknown }).type
  return dirname(folder) === folder ? undefined : packageType(dirname(folder))
}

function renamed(file: string): string {
  return file.replace(/\.c?([jt]s)$/, '.m$1')
}

function check(file: string, value: unknown): AgentFile {
  const { name, agent, models, afterCall, rtvi, webrtc } = (value ?? {}) as Partial<AgentFile>
  const missing = [
    typeof name === 'string' ? [] : ['name'],
    typeof agent === 'function' || (typeof agent === 'object' && agent !== null) ? [] : ['agent'],
    typeof models === 'function' ? [] : ['models'],
  ].flat()
  if (missing.length > 0)
    throw new AgentFileError(
      file,
      `must have a default export { name, agent, models }; missing: ${missing.join(', ')}`,
    )
  const problem =
    (afterCall === undefined ? undefined : handlersProblem(afterCall)) ??
    problemOf(() => rtvi && checkRtviOptions(rtvi)) ??
    problemOf(() => webrtc && checkWebRtc(webrtc))
  if (problem !== undefined) throw new AgentFileError(file, `cannot be used: ${problem}`)
  return value as AgentFile
}

function problemOf(verify: () => void): string | undefined {
  try {
    verify()
    return undefined
  } catch (error) {
    return describeError(error).message
  }
}
