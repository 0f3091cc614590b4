import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { OptionError } from '../scope/index.ts'

export type EnvFile = Readonly<Record<string, string | undefined>>

/** The variables in the file `.env` of the working directory. None if there is no such file. */
export function readEnvFile(): EnvFile {
  try {
    return parseEnv(readFileSync('.env', 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return {}
    throw new OptionError(`the file .env cannot be read: ${code}`)
  }
}

/** Adds the variables of a file to the environment, where the agent file finds its keys. The environment goes first. */
export function addToEnvironment(file: EnvFile): void {
  for (const [name, value] of Object.entries(file)) process.env[name] ??= value
}
