import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'vite'
import { root } from './compile.ts'

const dist = join(root, 'dist')

/** Files of `dist` that are started as processes or threads, and the command, which tests run in their own process. */
const started = [
  'cli/main.js',
  'cli/endwell.js',
  'cli/reload/dev-worker.js',
  'cli/reload/loaded-files-hooks.js',
  'cli/hunt/hunt-process.js',
  'cli/hunt/hunter.js',
  'host/start/call-worker.js',
  'host/start/check-agent-process.js',
  'host/start/work-worker.js',
  'host/supervisor/watchdog-thread.js',
  'lines/webrtc/webrtc-thread.js',
  'providers/local/espeak-thread.js',
  'providers/local/flite-thread.js',
  'providers/local/recogniser-thread.js',
  'providers/local/silero-thread.js',
  'providers/local/smart-turn-thread.js',
]

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly dependencies: Readonly<Record<string, string>>
}

/**
 * Installs the built package below `folder/node_modules`, with its modules and dependencies joined into few files, and
 * returns its path. Entry points keep their paths. A program that loads 480 modules one by one takes twice as long to start.
 */
export async function installPackage(folder: string): Promise<string> {
  const target = join(folder, 'node_modules', 'endwell')
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest
  const exported = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [relative('dist', entry.default)],
  )
  await mkdir(join(target, 'dist'), { recursive: true })
  await cp(join(root, 'package.json'), join(target, 'package.json'))
  await symlink(join(dist, 'studio'), join(target, 'dist', 'studio'), 'junction')
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    plugins: [ownPaths(join(target, 'dist'))],
    ssr: { noExternal: Object.keys(manifest.dependencies) },
    build: {
      ssr: true,
      target: 'node20',
      outDir: join(target, 'dist'),
      emptyOutDir: false,
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries(
          [...exported, ...started].map((path) => [path.replace(/\.js$/, ''), join(dist, path)]),
        ),
        treeshake: false,
        output: { chunkFileNames: 'joined/[name]-[hash].js' },
      },
    },
  })
  return target
}

/** Modules find files of the package relative to their own path, which they keep although they move into another file. */
function ownPaths(target: string): Plugin {
  return {
    name: 'own paths',
    transform: (code, id) => {
      if (!id.startsWith(dist + sep) || !code.includes('import.meta.url')) return undefined
      const url = pathToFileURL(join(target, relative(dist, id))).href
      return { code: code.replaceAll('import.meta.url', JSON.stringify(url)), map: null }
    },
  }
}
