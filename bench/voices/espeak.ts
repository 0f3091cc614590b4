import type { Measure } from '../bench.ts'
import { measureVoice } from './measure-voice.ts'

export const measure: Measure = () => measureVoice({ engine: 'espeak-wasm' })
