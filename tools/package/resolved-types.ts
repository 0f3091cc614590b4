import { Package, checkPackage } from '@arethetypeswrong/core'
import { problemKindInfo } from '@arethetypeswrong/core/problems'

import type { Manifest } from './subpaths.ts'
import type { Files } from './tarball.ts'

/** The package is for ES modules only, and has `exports`, which Node 10 did not know. */
const unsupported = new Set(['node10', 'node16-cjs'])

/** The fields of a manifest that the compiler and bundlers read. The compiler parses the manifest once per module. */
const fields = new Set([
  'name',
  'version',
  'type',
  'main',
  'module',
  'types',
  'typings',
  'typesVersions',
  'exports',
  'imports',
])

/** A package that knows its folders. The base class searches all files for each folder that the compiler asks about. */
class PackageWithFolders extends Package {
  readonly #folders = new Set<string>()

  constructor(files: Record<string, string | Uint8Array>, name: string, version: string) {
    super(files, name, version)
    for (const path of Object.keys(files))
      for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1))
        this.#folders.add(path.slice(0, end + 1))
  }

  override directoryExists(path: string): boolean {
    return this.#folders.has(path.endsWith('/') ? path : `${path}/`)
  }
}

/** Returns the subpaths whose types do not resolve like their code, for Node and for bundlers, one line each. */
export async function wrongTypes(
  files: Files,
  manifest: Manifest & { readonly version: string },
): Promise<string[]> {
  const read = Object.fromEntries(Object.entries(manifest).filter(([name]) => fields.has(name)))
  const placed = [...files].map(
    ([path, content]) => [`/node_modules/${manifest.name}/${path}`, content] as const,
  )
  const given = new PackageWithFolders(
    {
      ...Object.fromEntries(placed),
      [`/node_modules/${manifest.name}/package.json`]: JSON.stringify(read),
    },
    manifest.name,
    manifest.version,
  )
  // Only a bundler can import a style sheet, and it has no types.
  const styles = Object.keys(manifest.exports).filter((subpath) => subpath.endsWith('.css'))
  const result = await checkPackage(given, {
    excludeEntrypoints: styles.map((path) => path.replace('./', '')),
  })
  if (result.types === false) return ['the package has no types']
  return result.problems.flatMap((problem) => {
    const kind = 'resolutionKind' in problem ? problem.resolutionKind : ''
    if (unsupported.has(kind)) return []
    const file =
      'typesFileName' in problem ? problem.typesFileName : 'fileName' in problem ? problem.fileName : ''
    const where = 'entrypoint' in problem ? `${problem.entrypoint} in ${kind}` : file
    return [`${where}: ${problemKindInfo[problem.kind].shortDescription}`]
  })
}
