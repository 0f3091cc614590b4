import { findPackage, reportMissing } from '../find-package.ts'
import { LocalError } from './errors.ts'

/** The path of a package, which `user` is about to load. Throws if it is not installed. */
export function requirePackage(name: string, user: string): string {
  const path = findPackage(name)
  if (path !== undefined) return path
  throw packageMissing(name, user)
}

/** Reports a package that is not installed. For constructors, so that it is known when a program starts (HO11). */
export function checkPackage(name: string, user: string): void {
  if (findPackage(name) === undefined) reportMissing(name, () => packageMissing(name, user))
}

function packageMissing(name: string, user: string): LocalError {
  return new LocalError(
    'ENGINE_MISSING',
    `${user} needs the package ${name}, which is not installed. Run: npm install ${name}`,
  )
}
