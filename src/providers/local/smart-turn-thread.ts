import { readFile } from 'node:fs/promises'
import { MEL_BANDS } from './log-mel.ts'
import { featuresOf } from './smart-turn-features.ts'
import { serve } from './thread-server.ts'

export interface SmartTurnData {
  /** The path of the model file. */
  readonly model: string
}

const INPUT = 'input_features'

await serve<Int16Array, number>(async (data) => {
  const { model } = data as SmartTurnData
  const { InferenceSession, Tensor, env } = await import('onnxruntime-web')
  // More threads would take time from the calls.
  env.wasm.numThreads = 1
  const session = await InferenceSession.create(await readFile(model))
  const [output] = session.outputNames
  if (session.inputNames.join(', ') !== INPUT || output === undefined)
    throw new Error(`it has the inputs ${session.inputNames.join(', ')}; Smart Turn v3 has ${INPUT}`)

  const judge = async (sound: Int16Array): Promise<number> => {
    const features = featuresOf(sound)
    const input = new Tensor('float32', features, [1, MEL_BANDS, features.length / MEL_BANDS])
    const { [output]: result } = await session.run({ [INPUT]: input })
    return Number(result?.data[0])
  }
  // Warms up, and fails now if this is another model after all.
  const probability = await judge(new Int16Array(0))
  if (!(probability >= 0 && probability <= 1))
    throw new Error(`it returned ${probability}, which is not a probability`)
  return async (sound, emit) => emit(await judge(sound))
})
