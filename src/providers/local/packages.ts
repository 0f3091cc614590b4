import { createRequire } from 'node:module'
import { LocalError } from './errors.ts'

/** The path of a package's main file; undefined if it is not installed. Does not load the package. */
export function findPackage(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch {
    return undefined
  }
}

/** Like `findPackage`, but throws an error that says how to install the package. */
export function requirePackage(name: string, user: string): string {
  const path = findPackage(name)
  if (path !== undefined) return path
  throw new LocalError(
    'ENGINE_MISSING',
    `${user} needs the package ${name}, which is not installed. Run: npm install ${name}`,
  )
}
