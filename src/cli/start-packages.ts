import { createRequire } from 'node:module'
import { hasNodeSqlite, readsTypeScript } from '../host/index.ts'

/** The packages that `endwell start` needs beside those of the agent file, and that a user installs. */
export function startPackages(file: string, databaseUrl: string | undefined): readonly string[] {
  return [
    ...(databaseUrl === undefined ? (hasNodeSqlite() ? [] : ['libsql']) : ['pg']),
    ...(file.endsWith('ts') && !readsTypeScript() ? ['tsx'] : []),
  ]
}

/** Those of the packages that are not installed. */
export function notInstalled(packages: readonly string[]): readonly string[] {
  const { resolve } = createRequire(import.meta.url)
  return packages.filter((name) => {
    try {
      resolve(name)
      return false
    } catch {
      return true
    }
  })
}
