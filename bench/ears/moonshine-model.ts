import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { InferenceSession, Tensor, env } from 'onnxruntime-web'
import { packageFromNpm } from '../package-from-npm.ts'

const WEIGHTS = 'dist/model/tiny/quantized/'
const [START, END] = [1, 2]
/** Tokens per second of speech, at most. */
const PACE = 6.5

/** Writes down what is said at 16 kHz. */
export type Transcribe = (samples: Int16Array) => Promise<string>

/** Opens Moonshine's tiny English model. Undefined if npm cannot be reached. */
export async function openMoonshine(): Promise<Transcribe | undefined> {
  const weights = packageFromNpm('@usefulsensors/moonshine-js@0.1.21', (path) => path.startsWith(WEIGHTS))
  const words = packageFromNpm(
    'llama-tokenizer-js@1.2.2',
    (path) => path.endsWith('.js') || path === 'package.json',
  )
  if (weights === undefined || words === undefined) return undefined
  env.wasm.numThreads = 1
  const encoder = await InferenceSession.create(readFileSync(join(weights, WEIGHTS, 'encoder_model.onnx')))
  const decoder = await InferenceSession.create(
    readFileSync(join(weights, WEIGHTS, 'decoder_model_merged.onnx')),
  )
  const { default: tokenizer } = (await import(pathToFileURL(join(words, 'llama-tokenizer.js')).href)) as {
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
