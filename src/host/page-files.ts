import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import { OptionError } from '../scope/index.ts'
import { limits } from './limits.ts'

export interface PageFile {
  readonly type: string
  readonly etag: string
  /** The name contains a hash of the content, so it can be cached forever. */
  readonly immutable: boolean
  readonly plain: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
}

/**
 * The files of a folder, read once and kept in memory. Requests are looked up by their whole path, so no path can lead
 * out of the folder.
 */
export class PageFiles {
  readonly #files = new Map<string, PageFile>()

  constructor(folder: string) {
    let bytes = 0
    for (const path of filesIn(folder)) {
      const plain = new Uint8Array(readFileSync(join(folder, path)))
      bytes += plain.byteLength
      if (this.#files.size >= limits.files || bytes > limits.fileBytes)
        throw new OptionError(
          `'${folder}' has too many or too large files for a page: check that it is the right folder`,
        )
      this.#files.set(`/${path.split(sep).join('/')}`, fileOf(path, plain))
    }
    if (!this.#files.has('/index.html'))
      throw new OptionError(`'${folder}' has no index.html: build the page first`)
  }

  get(path: string): PageFile | undefined {
    return this.#files.get(path === '/' ? '/index.html' : path)
  }
}

function filesIn(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new OptionError(`the page's folder '${folder}' does not exist: build it first`)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(folder, sep).length))
}

function fileOf(path: string, plain: Uint8Array<ArrayBuffer>): PageFile {
  return {
    type: types[extname(path)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(plain).digest('hex').slice(0, 16)}"`,
    immutable: /^assets[/\\].+-[\w-]{8}\.\w+$/.test(path),
    plain,
    gzip: new Uint8Array(gzipSync(plain)),
  }
}
