import { mkdirSync, writeFileSync } from 'node:fs'
import { LocalStt, LocalTts, LocalVad, SileroVad, SmartTurn } from '../../src/providers/local/index.ts'
import { meanModel } from '../fixtures/onnx.ts'
import { pipeline, type Subject } from './subject.ts'

/** The providers that run in threads of the process. */
export const localSubjects: readonly Subject[] = [
  {
    name: 'local',
    holds: 'threads',
    setUp: () => ({
      vendor: {},
      models: () => ({
        ...pipeline(),
        stt: new LocalStt({ phrases: ['thank you', 'goodbye'] }),
        vad: new LocalVad(),
        tts: new LocalTts(),
      }),
      busy: 'the agent answers',
    }),
  },
  {
    name: 'silero vad',
    holds: 'threads',
    setUp: () => ({
      vendor: {},
      models: () => ({
        ...pipeline(),
        vad: new SileroVad({ model: 'node_modules/@ricky0123/vad-web/dist/silero_vad_v5.onnx' }),
      }),
      busy: 'the agent answers',
    }),
  },
  {
    name: 'smart turn',
    holds: 'threads',
    setUp: () => ({
      vendor: {},
      models: () => ({ ...pipeline(), turnDetector: new SmartTurn({ model: smartTurnFile() }) }),
      busy: 'the agent answers',
    }),
  },
]

/** A model with the inputs and outputs of Smart Turn. */
function smartTurnFile(): string {
  const file = 'node_modules/.cache/endwell-smart-turn.onnx'
  mkdirSync('node_modules/.cache', { recursive: true })
  writeFileSync(file, meanModel())
  return file
}
