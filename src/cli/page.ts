import { fileURLToPath } from 'node:url'

/** The output folder of `vite build`. */
export const page = fileURLToPath(new URL('../studio', import.meta.url))
