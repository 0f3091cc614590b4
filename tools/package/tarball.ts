import { gunzipSync } from 'node:zlib'

/** The files of a package, by their path below its root. */
export type Files = ReadonlyMap<string, Uint8Array>

const block = 512

/**
 * Reads a tarball of `npm pack`: gzipped POSIX tar, with every path below `package/`.
 *
 *   header (512 bytes: name 0–99, size 124–135 in octal, type 156, prefix 345–499) · content · zeros to the next 512
 *
 * A header of type x carries a long path for the file that follows, as `length path=…`.
 */
export function readTarball(gzipped: Uint8Array): Files {
  const tar = gunzipSync(gzipped)
  const files = new Map<string, Uint8Array>()
  let longPath: string | undefined
  for (let at = 0; at + block <= tar.length && tar[at] !== 0;) {
    const text = (from: number, length: number): string =>
      tar
        .toString('utf8', at + from, at + from + length)
        .split('\0', 1)
        .join('')
    const size = Number.parseInt(text(124, 12), 8)
    const type = text(156, 1)
    const content = tar.subarray(at + block, at + block + size)
    if (type === 'x') longPath = /^\d+ path=(.*)$/m.exec(content.toString('utf8'))?.[1]
    else {
      const path = longPath ?? [text(345, 155), text(0, 100)].filter((part) => part !== '').join('/')
      if (type === '0' || type === '') files.set(path.replace(/^package\//, ''), content)
      longPath = undefined
    }
    at += block + Math.ceil(size / block) * block
  }
  return files
}
