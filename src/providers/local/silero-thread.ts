import { readFile } from 'node:fs/promises'
import { serve } from './thread-server.ts'

export interface SileroData {
  /** The path of the model file. */
  readonly model: string
  readonly sampleRate: 8000 | 16_000
}

export interface SileroInput {
  readonly samples: Int16Array
  /** Whether a stream begins: the model forgets what it has heard. */
  readonly isFirst: boolean
}

const INPUTS = 'input, sr, state'
const OUTPUTS = 'output, stateN'

await serve<SileroInput, number>(async (data) => {
  const { model, sampleRate } = data as SileroData
  const { InferenceSession, Tensor, env } = await import('onnxruntime-web')
  // This thread is enough: a step takes about a millisecond.
  env.wasm.numThreads = 1
  const session = await InferenceSession.create(await readFile(model))
  const [inputs, outputs] = [session.inputNames, session.outputNames].map((names) =>
    names.toSorted().join(', '),
  )
  if (inputs !== INPUTS || outputs !== OUTPUTS)
    throw new Error(
      `it has the inputs ${inputs} and the outputs ${outputs}; Silero v5 has ${INPUTS} and ${OUTPUTS}`,
    )
  const sr = new Tensor('int64', BigInt64Array.of(BigInt(sampleRate)), [])
  const nothing = new Tensor('float32', new Float32Array(2 * 128), [2, 1, 128])
  let state = nothing
  /** The model hears the end of the previous window again: 4 ms. */
  let context = new Float32Array(sampleRate / 250)

  const judge = async ({ samples, isFirst }: SileroInput): Promise<number> => {
    if (isFirst) {
      state = nothing
      context = new Float32Array(context.length)
    }
    const heard = new Float32Array(context.length + samples.length)
    heard.set(context)
    for (const [index, sample] of samples.entries()) heard[context.length + index] = sample / 32_768
    context = heard.slice(-context.length)
    const input = new Tensor('float32', heard, [1, heard.length])
    const { output, stateN } = await session.run({ input, state, sr })
    state = stateN as typeof state
    return Number(output?.data[0])
  }
  // Warms up, and fails now if this is another model after all.
  await judge({ samples: new Int16Array(sampleRate * 0.032), isFirst: true })
  return async (input, emit) => emit(await judge(input))
})
