import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { InferenceSession, Tensor, env } from 'onnxruntime-web'
import { clips } from '../../test/fixtures/speech.ts'
import { readTarball } from '../../tools/package/tarball.ts'
import type { Measure } from '../bench.ts'
import { understanding } from '../local/understanding.ts'

const MODEL = '@usefulsensors/moonshine-js@0.1.21'
const WEIGHTS = 'dist/model/tiny/quantized/'
const TOKENIZER = 'llama-tokenizer-js@1.2.2'
const [START, END] = [1, 2]
/** Tokens per second of speech, at most. */
const PACE = 6.5

/** The figures of the tiny English model. Empty if npm cannot be reached. */
export const measure: Measure = async () => {
  const files = installed()
  if (!files) return {}
  const before = process.memoryUsage().rss
  const openedAt = performance.now()
  const transcribe = await openModel(files)
  await transcribe(new Int16Array(16_000))
  const open = performance.now() - openedAt
  const memory = (process.memoryUsage().rss - before) / 2 ** 20
  const phrases = new Set(clips.filter(({ kind }) => kind === 'in').map(({ text }) => text))
  let wrong = 0
  let spoken = 0
  const texts: string[] = []
  const understood = await understanding(async (samples) => {
    const text = plain(await transcribe(samples))
    texts.push(text)
    return phrases.has(text) ? text : undefined
  })
  const perClip = texts.length / clips.length
  for (const [index, text] of texts.entries()) {
    const said = clips[Math.floor(index / perClip)]!.text.split(' ')
    wrong += distance(said, text.split(' '))
    spoken += said.length
  }
  return { open, memory, words: (100 * wrong) / spoken, ...understood }
}

/** Downloads the packages once, and keeps the files that are needed. */
function installed():
  | { readonly encoder: string; readonly decoder: string; readonly tokenizer: string }
  | undefined {
  const folder = join('node_modules', '.cache', 'moonshine')
  const files = {
    encoder: join(folder, 'encoder_model.onnx'),
    decoder: join(folder, 'decoder_model_merged.onnx'),
    tokenizer: join(folder, 'llama-tokenizer.js'),
  }
  if (Object.values(files).every((file) => existsSync(file))) return files
  mkdirSync(folder, { recursive: true })
  try {
    for (const name of [MODEL, TOKENIZER])
      execFileSync('npm', ['pack', name, '--pack-destination', folder], { stdio: 'ignore', timeout: 300_000 })
  } catch {
    return undefined
  }
  for (const tarball of readdirSync(folder).filter((name) => name.endsWith('.tgz')))
    for (const [path, content] of readTarball(readFileSync(join(folder, tarball)))) {
      const isNeeded = path === 'llama-tokenizer.js' || (path.startsWith(WEIGHTS) && path.endsWith('.onnx'))
      if (isNeeded) writeFileSync(join(folder, path.replace(dirname(path), '.')), content)
    }
  // The tokenizer is a module without a package.json of its own here.
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return files
}

type Transcribe = (samples: Int16Array) => Promise<string>

async function openModel(files: NonNullable<ReturnType<typeof installed>>): Promise<Transcribe> {
  env.wasm.numThreads = 1
  const encoder = await InferenceSession.create(readFileSync(files.encoder))
  const decoder = await InferenceSession.create(readFileSync(files.decoder))
  const { default: tokenizer } = (await import(pathToFileURL(files.tokenizer).href)) as {
    default: { decode(tokens: number[], start: boolean, space: boolean): string }
  }
  const pastNames = decoder.inputNames.filter((name) => name.startsWith('past_key_values'))
  return async (samples) => {
    const sound = Float32Array.from(samples, (sample) => sample / 32_768)
    const input = { input_values: new Tensor('float32', sound, [1, sound.length]) }
    const { last_hidden_state: encoded } = await encoder.run(input)
    const none = new Tensor('float32', new Float32Array(0), [0, 8, 1, 36])
    const past: Record<string, Tensor> = Object.fromEntries(pastNames.map((name) => [name, none]))
    const tokens: number[] = []
    for (let last = START; tokens.length < (samples.length / 16_000) * PACE;) {
      const isLater = tokens.length > 0
      const output = await decoder.run({
        ...past,
        input_ids: new Tensor('int64', BigInt64Array.of(BigInt(last)), [1, 1]),
        encoder_hidden_states: encoded!,
        use_cache_branch: new Tensor('bool', [isLater], [1]),
      })
      last = best(output['logits']!.data as Float32Array)
      if (last === END) break
      tokens.push(last)
      // What the model knows of the sound does not change.
      for (const name of pastNames)
        if (!isLater || name.includes('decoder'))
          past[name] = output[name.replace('past_key_values', 'present')]!
    }
    return tokenizer.decode([START, ...tokens], true, false)
  }
}

function best(scores: Float32Array): number {
  let index = 0
  for (let each = 1; each < scores.length; each++) if (scores[each]! > scores[index]!) index = each
  return index
}

/** Words as the recordings have them: without capitals, punctuation and hyphens. */
function plain(text: string): string {
  const words = text
    .toLowerCase()
    .replaceAll('-', ' ')
    .replaceAll(/[^a-z' ]/g, '')
  return words.split(' ').filter(Boolean).join(' ')
}

/** How many words have to be changed, added or removed. */
function distance(one: readonly string[], other: readonly string[]): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, word] of one.entries()) {
    const next = [index + 1]
    for (const [column, each] of other.entries())
      next.push(Math.min(row[column + 1]! + 1, next[column]! + 1, row[column]! + (word === each ? 0 : 1)))
    row = next
  }
  return row.at(-1)!
}
