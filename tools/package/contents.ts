import type { Files } from './tarball.ts'

/**
 * An install is small. Raise this on purpose only, and say what was worth it: 1 MB was the kernel, the session and its
 * tests' tools; the rest are seven providers, the vendors' servers for tests, the browser's line, the host with its page
 * and the guard, none of which brings a package along that is not listed in package.json.
 */
export const maxUnpackedBytes = 2_500_000

export function unpackedBytes(files: Files): number {
  return [...files.values()].reduce((sum, content) => sum + content.length, 0)
}

export function tooLarge(files: Files, limit = maxUnpackedBytes): string[] {
  const bytes = unpackedBytes(files)
  return bytes > limit ? [`${bytes} bytes unpacked, and maxUnpackedBytes is ${limit}`] : []
}

export function testFiles(files: Files): string[] {
  return [...files.keys()].filter((path) => /(^|\/)(test|tests|__tests__)\/|\.test\.[^/]*$/.test(path))
}

/** Files that hold an absolute path below one of the folders, as a path or as a file URL. */
export function privatePaths(files: Files, folders: readonly string[]): string[] {
  const patterns = folders
    .map((folder) => folder.replace(/[\\/]+$/, ''))
    .filter((folder) => folder !== '')
    .map((folder) => new RegExp(String.raw`(?:file://|(?<![\w.~/\\-]))${escape(folder)}(?![\w.-])`))
  return mentions(files, patterns)
}

const anyRegistry = /\/\/(registry|npm\.pkg)\.[\w.-]+/i
const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** Files that hold the address of a package registry: of one that calls itself so, or of the one in use. */
export function registryAddresses(files: Files, inUse: string): string[] {
  const { hostname, host } = new URL(inUse)
  const known = loopback.test(hostname) || anyRegistry.test(`//${host}`)
  return mentions(files, known ? [anyRegistry] : [anyRegistry, new RegExp(`//${escape(host)}`, 'i')])
}

function mentions(files: Files, patterns: readonly RegExp[]): string[] {
  return [...files].flatMap(([path, content]) => {
    const text = Buffer.from(content).toString('utf8')
    return patterns.flatMap((pattern) => {
      const match = pattern.exec(text)
      return match === null ? [] : [`${path} holds ${match[0]}`]
    })
  })
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
