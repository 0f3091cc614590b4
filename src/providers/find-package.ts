import { createRequire } from 'node:module'

/** The path of a package's main file or of one of its modules; undefined if it is not installed. Does not load it. */
export function findPackage(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch {
    return undefined
  }
}

/** Whether a bundler has put this file into a bundle, which then contains optional packages instead of importing them. */
export const isBundled = !/\/providers\/find-package\.[jt]s$/.test(import.meta.url)
