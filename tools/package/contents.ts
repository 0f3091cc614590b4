import { brokenLinks as linksToNowhere } from '../../test/house/markdown.ts'
import { paths } from '../../test/house/tree.ts'
import type { Files } from './tarball.ts'

/**
 * Keeps installs small. Raise it only on purpose, and say here why. 1 MB: the kernel, the session and its testing
 * tools. 1.5 MB: seven providers, the vendors' servers, the lines, the host with its page, and the guard. 0.5 MB: the docs
 * and the examples, which the README links to. 1 MB: production, with the journal, its supervisor, fleet and metrics, and
 * the files to deploy it. 0.4 MB: the vendors AssemblyAI, ElevenLabs, Inworld, Rime and xAI, GPT-Live, and their servers;
 * fallback of realtime models; costs. 0.3 MB: the phone, with calls out, transfers, keys and menus, sounds, and a carrier on
 * loopback that rings people. 0.3 MB: who answered and messages, warm transfers, calls out of a fleet, latency by stage, prices,
 * recordings and the page that plays them. 0.2 MB: keys by the carrier, the caller's own program, captions, and chat in a terminal.
 * 0.1 MB: calls in React, and guides for those who come from other frameworks. 0.1 MB: RTVI clients over WebSocket.
 * 0.2 MB: hunts, and callers played by a model.
 * 0.1 MB: calls over WebRTC, also from our own page, and what the same work costs in other frameworks.
 */
export const maxUnpackedBytes = 5_700_000

export function unpackedBytes(files: Files): number {
  return [...files.values()].reduce((sum, content) => sum + content.length, 0)
}

export function tooLarge(files: Files, limit = maxUnpackedBytes): string[] {
  const bytes = unpackedBytes(files)
  return bytes > limit ? [`${bytes} bytes unpacked, more than maxUnpackedBytes: ${limit}`] : []
}

export function testFiles(files: Files): string[] {
  return [...files.keys()].filter((path) => /(^|\/)(test|tests|__tests__)\/|\.test\.[^/]*$/.test(path))
}

/**
 * Relative links of packed pages to files that are not packed: they lead nowhere in `node_modules`. Pictures are not packed, because
 * GitHub and npm show those of the repository.
 */
export function brokenLinks(files: Files): string[] {
  const repository = paths()
  const packed = [...files.keys(), ...repository.filter((path) => path.startsWith('docs/pictures/'))]
  return [...files]
    .filter(([path]) => path.endsWith('.md'))
    .flatMap(([path, content]) => {
      const text = Buffer.from(content).toString('utf8')
      return linksToNowhere({ path, text }, packed, repository)
    })
}

/** Files that contain an absolute path below one of the folders, as a path or as a file URL. */
export function privatePaths(files: Files, folders: readonly string[]): string[] {
  const patterns = folders
    .map((folder) => folder.replace(/[\\/]+$/, ''))
    .filter((folder) => folder !== '')
    .map((folder) => new RegExp(String.raw`(?:file://|(?<![\w.~/\\-]))${escape(folder)}(?![\w.-])`))
  return mentions(files, patterns)
}

const anyRegistry = /\/\/(registry|npm\.pkg)\.[\w.-]+/i
const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** Files that contain the address of a package registry: of any `registry.*` host, or of the registry in use. */
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
      return match === null ? [] : [`${path} contains ${match[0]}`]
    })
  })
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
