import { createRequire } from 'node:module'
import { LocalError } from './errors.ts'

/** Where the package's main file is; undefined if it is not installed. Nothing of it is loaded. */
export function findPackage(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch {
    return undefined
  }
}

/** Where the package's main file is, or an error that says how to install it. */
export function needPackage(name: string, who: string): string {
  const found = findPackage(name)
  if (found !== undefined) return found
  throw new LocalError(
    'ENGINE_MISSING',
    `${who} needs the package ${name}, which is not installed: npm install ${name}`,
  )
}
