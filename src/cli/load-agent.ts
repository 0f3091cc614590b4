import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AgentFile } from '../host/index.ts'
import { EndwellError } from '../scope/index.ts'

/** The file that was given is no agent's file. */
export class AgentFileError extends EndwellError {
  constructor(file: string, problem: string, options?: ErrorOptions) {
    super('AGENT_FILE', `${file} ${problem}`, options)
  }
}

/** Loads the default export of an agent's file. */
export async function loadAgent(file: string): Promise<AgentFile> {
  const path = resolve(file)
  if (!existsSync(path)) throw new AgentFileError(file, 'does not exist')
  let module: { readonly default?: unknown }
  try {
    module = (await import(pathToFileURL(path).href)) as typeof module
  } catch (error) {
    throw new AgentFileError(file, whyNot(file, error), { cause: error })
  }
  return check(file, module.default)
}

function whyNot(file: string, error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return `is TypeScript, which this Node does not read: node --import tsx …, or Node 22.18 and later (${file.split('.').at(-1)})`
  return `could not be loaded: ${message ?? String(error)}`
}

function check(file: string, value: unknown): AgentFile {
  const { name, agent, models } = (value ?? {}) as Partial<AgentFile>
  const missing = [
    typeof name === 'string' ? [] : ['name'],
    typeof agent === 'function' || typeof agent === 'object' ? [] : ['agent'],
    typeof models === 'function' ? [] : ['models'],
  ].flat()
  if (missing.length === 0) return value as AgentFile
  throw new AgentFileError(
    file,
    `must export { name, agent, models } as its default; it lacks ${missing.join(', ')}`,
  )
}
