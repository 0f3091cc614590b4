import type { Options } from './command.ts'
import { configure, type Configuration, type Settings } from './configuration.ts'
import { addToEnvironment, readEnvFile } from './env-file.ts'
import { variables } from './settings.ts'

/** The options of a command that has these settings, for its help and its parser. */
export function optionsOf(settings: Settings): Options {
  return Object.fromEntries(
    Object.values(settings).flatMap(({ name, flag, variable, about, value, default: preset }) => {
      const type = name === 'name' ? 'list' : 'string'
      const note = preset === undefined ? variable : `${variable}; default: ${preset}`
      return flag ? [[name, { type, about: `${about} (${note})`, value }]] : []
    }),
  )
}

/**
 * Reads the settings of a command from its options, the environment, and the file `.env` in the working directory. Adds the
 * variables of the file to the environment, where the agent file finds its keys.
 */
export function readConfiguration<S extends Settings>(
  settings: S,
  given: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>,
): Configuration<S> {
  const file = readEnvFile()
  const flags = Object.fromEntries(
    Object.values(settings).flatMap(({ name, flag }) => {
      const value = flag ? given[name] : undefined
      if (value === undefined) return []
      return [[name, typeof value === 'object' ? value.join(',') : String(value)]]
    }),
  )
  const configuration = configure(settings, {
    flags,
    environment: { ...process.env },
    file,
    known: variables,
  })
  addToEnvironment(file)
  return configuration
}
