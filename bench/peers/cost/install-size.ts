import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface InstallSize {
  readonly packages: number
  readonly megabytes: number
}

interface Locked {
  readonly optional?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

export interface Lock {
  readonly packages: Readonly<Record<string, Locked>>
}

/**
 * The folders that `npm install` of some packages creates, according to a lock file: the packages and everything that they
 * depend on, without optional peers.
 */
export function installedFolders({ packages }: Lock, wanted: readonly string[]): string[] {
  const found = new Set<string>()
  const visit = (name: string, from: string): void => {
    const path = resolve(packages, name, from)
    if (path === undefined || found.has(path)) return
    found.add(path)
    for (const dependency of dependenciesOf(packages[path]!)) visit(dependency, path)
  }
  for (const name of wanted) visit(name, '')
  return [...found]
}

/** Finds a package as Node does: in the `node_modules` of the package that needs it, then in those further out. */
function resolve(packages: Lock['packages'], name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (packages[path]) return path
    if (folder === '') return undefined
  }
}

function dependenciesOf(locked: Locked): string[] {
  const peers = Object.keys(locked.peerDependencies ?? {}).filter(
    (name) => locked.peerDependenciesMeta?.[name]?.optional !== true,
  )
  return [...Object.keys({ ...locked.dependencies, ...locked.optionalDependencies }), ...peers]
}

/** The size of packages that are installed in a folder with a lock file. */
export function sizeOfPackages(folder: string, wanted: readonly string[]): InstallSize {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as Lock
  // Packages for other platforms are in the lock file, but not installed.
  const folders = installedFolders(lock, wanted)
    .map((path) => join(folder, path))
    .filter((path) => statSync(path, { throwIfNoEntry: false }))
  return {
    packages: folders.length,
    megabytes: megabytes(folders.reduce((sum, each) => sum + bytesOf(each), 0)),
  }
}

/** The size of endwell as published, from a built repository, with its dependencies. */
export function sizeOfEndwell(root: string): InstallSize {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly files: readonly string[]
    readonly dependencies: Readonly<Record<string, string>>
  }
  const published = [...manifest.files, 'package.json', 'README.md', 'LICENSE'].filter(
    (path) => !path.startsWith('!'),
  )
  if (!statSync(join(root, 'dist'), { throwIfNoEntry: false }))
    throw new Error('dist is missing, and its size is measured: run `npm run build` first')
  const left = manifest.files.filter((path) => path.startsWith('!')).map((path) => join(root, path.slice(1)))
  const own = published.reduce((sum, path) => sum + bytesOf(join(root, path), left), 0)
  const others = sizeOfPackages(root, Object.keys(manifest.dependencies))
  return { packages: others.packages + 1, megabytes: others.megabytes + megabytes(own) }
}

const megabytes = (bytes: number): number => bytes / 2 ** 20

/** The bytes of a file, or of all files in a folder except nested packages, which are counted on their own. */
function bytesOf(path: string, without: readonly string[] = []): number {
  if (without.includes(path)) return 0
  const found = statSync(path)
  if (!found.isDirectory()) return found.size
  return readdirSync(path)
    .filter((name) => name !== 'node_modules')
    .reduce((sum, name) => sum + bytesOf(join(path, name), without), 0)
}
