import { OptionError } from '../scope/index.ts'

/** Throws unless all paths of a line are valid and differ, and its public address is one. `paths` are by the names of their options. */
export function checkPaths(paths: Readonly<Record<string, string>>, publicUrl: string | undefined): void {
  if (publicUrl !== undefined && !/^https?:\/\/[^/?#]+[^?#]*$/.test(publicUrl))
    throw new OptionError('publicUrl must be an address like https://agent.example.com')
  for (const path of Object.values(paths))
    if (!/^\/[\w./~-]*$/.test(path)) throw new OptionError(`'${path}' is no path: it must begin with a slash`)
  if (new Set(Object.values(paths)).size < Object.keys(paths).length)
    throw new OptionError(`${Object.keys(paths).join(' and ')} must differ`)
}
