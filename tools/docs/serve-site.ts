import { createReadStream, existsSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
}

/** The file of an address, as GitHub Pages finds it: `/agents` is `agents.html`. Undefined if there is none. */
export function fileAt(folder: string, base: string, path: string): string | undefined {
  if (!path.startsWith(base) || path.includes('..')) return undefined
  const inside = join(folder, decodeURI(path.slice(base.length)))
  const candidates = [inside, `${inside}.html`, join(inside, 'index.html')]
  return candidates.find((file) => existsSync(file) && statSync(file).isFile())
}

/** Serves a built site on this machine. A port of 0 chooses a free one. */
export async function serveSite(
  folder: string,
  base: string,
  port: number,
): Promise<{ readonly port: number; readonly closed: Promise<void>; close(): void }> {
  const server = createServer(({ url = '/' }, response) => {
    const file = fileAt(folder, base, new URL(url, 'http://localhost').pathname)
    const found = file ?? join(folder, '404.html')
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': types[extname(found)] ?? 'text/plain',
    })
    createReadStream(found).pipe(response)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, 'localhost', resolve)
  })
  const closed = new Promise<void>((resolve) => {
    server.once('close', resolve)
  })
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { port: (server.address() as AddressInfo).port, closed, close }
}
