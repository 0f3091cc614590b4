import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { OptionError } from '../scope/index.ts'

export type EnvFile = Readonly<Record<string, string | undefined>>

/** The variables in the file `.env` of the working directory. None if there is no such file. */
export function readEnvFile(): EnvFile {
  try {
    return parseEnv(readFileSync(resolve('.env'), 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return {}
    throw new OptionError(`the file .env cannot be read: ${code}`)
  }
}

/** Adds the variables of a file to the environment, where the agent file finds its keys. The environment goes first. */
export function addToEnvironment(file: EnvFile, environment: NodeJS.ProcessEnv = process.env): void {
  for (const [name, value] of Object.entries(file)) environment[name] ??= value
}

/**
 * Reads the file `.env`, as every command that loads an agent does first (HO45). A variable of the environment wins over the
 * file, also if it is empty. Throws if the file has a misspelt setting of endwell.
 */
export async function loadEnvFile(environment: NodeJS.ProcessEnv = process.env): Promise<void> {
  const file = readEnvFile()
  if (Object.keys(file).some((name) => name.startsWith('ENDWELL_'))) {
    const { misspelt } = await import('./configuration.ts')
    const { variables } = await import('./settings.ts')
    const mistakes = misspelt(variables, file, '.env')
    if (mistakes.length > 0) throw new OptionError(mistakes.join('. '))
  }
  addToEnvironment(file, environment)
}
