import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'vite'

export const root = fileURLToPath(new URL('..', import.meta.url))

export interface CompileOptions {
  /** Entry points below the root of the repository, by the name of the file they become. */
  readonly entries: Readonly<Record<string, string>>
  readonly folder: string
  /** Packages to bundle. All others are imported from `node_modules`. */
  readonly bundle?: readonly RegExp[]
  readonly plugins?: readonly Plugin[]
  /** Puts shared modules beside the entries, for programs that find each other's files by their own. Default: false. */
  readonly flat?: boolean
  /** Which `endwell` the programs import: that of `dist`, or the one that is installed above `folder`. Default: `dist`. */
  readonly endwell?: 'dist' | 'installed'
}

const require = createRequire(import.meta.url)

/** An example imports the built package, as the program of a user does. */
const builtPackage: Plugin = {
  name: 'built package',
  enforce: 'pre',
  resolveId: (id) =>
    isEndwell(id) ? { id: pathToFileURL(require.resolve(id)).href, external: 'absolute' } : undefined,
}

const installedPackage: Plugin = {
  name: 'installed package',
  enforce: 'pre',
  resolveId: (id) => (isEndwell(id) ? { id, external: true } : undefined),
}

const isEndwell = (id: string): boolean => /^endwell(\/|$)/.test(id)

/**
 * Compiles programs that tests start as processes or threads into one file of JavaScript each. Reading TypeScript with
 * tsx instead costs every process more time than the test itself.
 */
export async function compile(options: CompileOptions): Promise<void> {
  const { entries, folder, bundle = [], plugins = [], flat = false, endwell = 'dist' } = options
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    plugins: [endwell === 'dist' ? builtPackage : installedPackage, ...plugins],
    ssr: { noExternal: [...bundle] },
    build: {
      ssr: true,
      target: 'node20',
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      // package.json lists side effects of `dist` only; modules of `src` would be dropped.
      rolldownOptions: {
        input: { ...entries },
        treeshake: false,
        ...(flat ? { output: { chunkFileNames: '[name]-[hash].js' } } : {}),
      },
    },
  })
}
