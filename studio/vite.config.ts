import { fileURLToPath, pathToFileURL } from 'node:url'
import { defineConfig, type Plugin } from 'vite'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * The client loads its worklets by address, `new URL('../x-worklet.js', import.meta.url)`, which only exists in the
 * package. Here each becomes a file of its own, made from its source.
 */
function worklets(): Plugin {
  const address = /new URL\('([^']+-worklet)\.js', import\.meta\.url\)/g
  return {
    name: 'worklets',
    apply: 'build',
    // Before Vite itself looks for addresses: it would serve the source as it is.
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

/** The page of the host, built into the package: `vite build studio`. */
export default defineConfig({
  root: here('.'),
  // The host may serve it at any path.
  base: './',
  plugins: [worklets()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: here('../dist/studio'),
    emptyOutDir: true,
    target: 'es2022',
    // Its policy forbids what is written into the page, so nothing is.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
