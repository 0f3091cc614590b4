import { findPackage } from '../find-package.ts'
import { LocalError } from './errors.ts'

/** Like `findPackage`, but throws an error that says how to install the package. */
export function requirePackage(name: string, user: string): string {
  const path = findPackage(name)
  if (path !== undefined) return path
  throw new LocalError(
    'ENGINE_MISSING',
    `${user} needs the package ${name}, which is not installed. Run: npm install ${name}`,
  )
}
