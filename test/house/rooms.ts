import { importsOf, resolved } from './imports.ts'
import type { Source } from './tree.ts'

/** The rooms of `src`, top first. A room may import from itself and from the rooms above it. */
export const rooms = [
  'scope',
  'report',
  'audio',
  'link',
  'parts',
  'session',
  'guard',
  'providers',
  'lines',
  'react',
  'host',
  'testing',
  'cli',
]

/** Rooms that import no packages, not even Node. */
const pure = new Set(['scope', 'report'])

/** Rooms with one folder per member. Members may import the files they share, and never each other. */
const families = new Set(['providers', 'lines'])

/** Folders of a family that its members share: a protocol that several vendors speak, or that several lines carry. */
const sharedFolders = new Set(['providers/openai-realtime', 'lines/rtvi'])

/** Loads the agent file, which is not ours. */
const agentLoader = 'src/host/start/load-agent.ts'

/** Packages that unit tests may import in addition to those of their room. */
const testPackages = new Set(['vitest', 'fast-check'])
export const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path)

/** The room of a file, such as `src/link` or `studio`. Files directly in `src` belong to `src`. */
export function roomOf(path: string): string {
  const folders = path.split('/').slice(0, -1)
  return folders.slice(0, folders[0] === 'src' ? 2 : 1).join('/')
}

interface Place {
  readonly room: string
  /** The folder inside a family. Empty for files that the family shares. */
  readonly member: string
}

function placeOf(path: string): Place | undefined {
  const [src, room = '', ...rest] = path.split('/')
  if (src !== 'src' || !rooms.includes(room) || rest.length === 0) return undefined
  const folder = rest[0] ?? ''
  const isMember = families.has(room) && rest.length > 1 && !sharedFolders.has(`${room}/${folder}`)
  return { room, member: isMember ? folder : '' }
}

/**
 * Imports that the order of rooms forbids, one line each, type imports included. `packages` are the dependencies of the
 * published package.
 */
export function strayImports(sources: readonly Source[], packages: ReadonlySet<string>): string[] {
  return sources.flatMap((source) => {
    if (source.path === 'src/index.ts') return []
    const here = placeOf(source.path)
    if (here === undefined) return [`${source.path} is in no room. The rooms are: ${rooms.join(', ')}`]
    return importsOf(source).flatMap(({ from, line }) => {
      const wrong = whyNot(source.path, here, from, packages)
      return wrong === undefined ? [] : [`${source.path}:${line} ${wrong}`]
    })
  })
}

function whyNot(
  path: string,
  here: Place,
  from: string | undefined,
  packages: ReadonlySet<string>,
): string | undefined {
  // The last room may import all others, so a computed import cannot be wrong there.
  if (from === undefined)
    return here.room === rooms.at(-1) || path === agentLoader ? undefined : 'has a computed import'
  if (from.startsWith('.')) return whyNotFile(path, here, resolved(path, from))
  if (isTest(path) && testPackages.has(from)) return undefined
  if (pure.has(here.room)) return `imports ${from}: ${here.room} imports no packages`
  if (from.startsWith('node:') || packages.has(packageOf(from))) return undefined
  return `imports ${from}, which is not a dependency`
}

function whyNotFile(path: string, here: Place, target: string): string | undefined {
  const there = placeOf(target)
  if (there === undefined) return `imports ${target}, which is in no room`
  if (isTest(target)) return `imports ${target}, which is a test`
  if (isTest(path) && there.room === 'testing') return undefined
  if (rooms.indexOf(there.room) > rooms.indexOf(here.room))
    return `imports ${target}: ${there.room} is below ${here.room}`
  if (there.room !== here.room || there.member === '' || there.member === here.member) return undefined
  return `imports ${target}: ${here.room} must not import each other`
}

/** `ws` of `ws/lib/stream.js`, `@scope/name` of `@scope/name/sub`. */
const packageOf = (from: string): string =>
  from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/')
