import { existsSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, resolve } from 'node:path'

/** Files that are read at most, so that a mistake in a large project is reported without delay. */
const MOST_FILES = 200

/** Comments, and imports of types, which do not exist when the program runs. */
const ignored = /\/\*[^]*?\*\/|^\s*\/\/.*$|\b(?:im|ex)port\s+type\b[^'"]*from\s*['"][^'"]*['"]/gm
const specifiers = /\b(?:from|import)\s*\(?\s*(['"])([^'"\n]+)\1/g

/**
 * The packages that a module, and the modules of its project that it imports, need and that are not installed. Node reports
 * only the first one. Reads the sources, since nothing can be loaded.
 */
export function missingImports(path: string): string[] {
  const missing = new Set<string>()
  for (const file of projectFiles(path)) {
    for (const specifier of importsIn(file)) {
      if (!/^@?[\w-]/.test(specifier) || specifier.includes(':') || isBuiltin(specifier)) continue
      const name = packageOf(specifier)
      if (!isInstalled(name, dirname(file))) missing.add(name)
    }
  }
  return [...missing]
}

/** A module, and the modules of its project that it imports. */
export function projectFiles(path: string): string[] {
  const files = [resolve(path)]
  for (const file of files) {
    for (const specifier of importsIn(file)) {
      const found = specifier.startsWith('.') ? sourceOf(resolve(dirname(file), specifier)) : undefined
      if (found !== undefined && !files.includes(found) && files.length < MOST_FILES) files.push(found)
    }
  }
  return files
}

function importsIn(file: string): string[] {
  try {
    const text = readFileSync(file, 'utf8').replaceAll(ignored, '')
    return Array.from(text.matchAll(specifiers), ([, , specifier]) => specifier!)
  } catch {
    return []
  }
}

/** The file that an import means. TypeScript may be imported by the name that it has once it is compiled. */
function sourceOf(path: string): string | undefined {
  const candidates = [path, path.replace(/js$/, 'ts'), `${path}.ts`, `${path}.js`, join(path, 'index.ts')]
  return candidates.find((each) => /\.[cm]?[jt]s$/.test(each) && existsSync(each))
}

/** `zod` of `zod/v4`, `@scope/name` of `@scope/name/sub`. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Whether the folder, or one above it, has the package, or is the package. */
function isInstalled(name: string, folder: string): boolean {
  if (existsSync(join(folder, 'node_modules', name)) || nameOf(folder) === name) return true
  return dirname(folder) !== folder && isInstalled(name, dirname(folder))
}

function nameOf(folder: string): unknown {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: unknown }).name
  } catch {
    return undefined
  }
}
