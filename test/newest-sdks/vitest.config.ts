import { fileURLToPath } from 'node:url'
import { mergeConfig, type Plugin } from 'vitest/config'
import config, { newest } from '../../vitest.config.ts'

/** Imports the SDKs that are installed in this folder. */
const newestSdks: Plugin = {
  name: 'newest-sdks',
  enforce: 'pre',
  resolveId(source, _, options) {
    if (!/^(openai|ai-sdk-openai-4)(\/|$)/.test(source)) return undefined
    return this.resolve(source, fileURLToPath(import.meta.url), { ...options, skipSelf: true })
  },
}

const [shared] = config.test!.projects!
const { exclude } = (shared as { test: { exclude: string[] } }).test
exclude.splice(exclude.indexOf(newest), 1)

export default mergeConfig(config, {
  root: fileURLToPath(new URL('../..', import.meta.url)),
  plugins: [newestSdks],
})
