import { fileURLToPath, pathToFileURL } from 'node:url'
import { defineConfig, type Plugin } from 'vite'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * The client loads its worklets from `new URL('../x-worklet.js', import.meta.url)`, a file that exists only in the built
 * package. This plugin emits a chunk for each worklet, built from its source.
 */
function worklets(): Plugin {
  const address = /new URL\('([^']+-worklet)\.js', import\.meta\.url\)/g
  return {
    name: 'worklets',
    apply: 'build',
    // Before Vite handles `new URL` itself: it would emit the TypeScript source as an asset.
    enforce: 'pre',
    transform: {
      filter: { code: address },
      handler(code, id) {
        return code.replaceAll(address, (_, path: string) => {
          const source = fileURLToPath(new URL(`${path}.ts`, pathToFileURL(id)))
          return `import.meta.ROLLUP_FILE_URL_${this.emitFile({ type: 'chunk', id: source })}`
        })
      },
    },
  }
}

/** Builds the page into the package: `vite build studio`. */
export default defineConfig({
  root: here('.'),
  // The host may serve the page at any path.
  base: './',
  plugins: [worklets()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: here('../dist/studio'),
    emptyOutDir: true,
    target: 'es2022',
    // The page's content security policy forbids scripts in data URLs, which worklets would become.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
