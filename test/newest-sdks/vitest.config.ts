import { fileURLToPath } from 'node:url'
import { mergeConfig, type Plugin } from 'vitest/config'
import config from '../../vitest.config.ts'

/** Imports the SDKs that are installed in this folder. */
const newestSdks: Plugin = {
  name: 'newest-sdks',
  enforce: 'pre',
  resolveId(source, _, options) {
    if (!/^(openai|ai-sdk-openai-4)(\/|$)/.test(source)) return undefined
    return this.resolve(source, fileURLToPath(import.meta.url), { ...options, skipSelf: true })
  },
}

export default mergeConfig(config, {
  root: fileURLToPath(new URL('../..', import.meta.url)),
  plugins: [newestSdks],
})
