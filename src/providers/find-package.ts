import { createRequire } from 'node:module'

/** The path of a package's main file or of one of its modules; undefined if it is not installed. Does not load it. */
export function findPackage(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch {
    return undefined
  }
}

/** Sets that missing packages are added to, as long as they are collected. */
const collections = new Set<Set<string>>()

/**
 * From now on, constructors do not throw if a package is missing. Returns a function that ends this and returns the names of
 * all missing packages, so that they can be reported at once (HO11).
 */
export function collectMissingPackages(): () => readonly string[] {
  const missing = new Set<string>()
  collections.add(missing)
  return () => {
    collections.delete(missing)
    return [...missing]
  }
}

/** Reports that a package is not installed: throws the error, unless missing packages are collected. */
export function reportMissing(name: string, error: () => Error): void {
  if (collections.size === 0) throw error()
  for (const missing of collections) missing.add(name)
}

/** Whether a bundler has put this file into a bundle, which then contains optional packages instead of importing them. */
export const isBundled = !/\/providers\/find-package\.[jt]s$/.test(import.meta.url)
