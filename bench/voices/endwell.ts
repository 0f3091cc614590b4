import type { Measure } from '../bench.ts'
import { measureVoice } from './measure-voice.ts'

/** The default voice. */
export const measure: Measure = () => measureVoice({})
