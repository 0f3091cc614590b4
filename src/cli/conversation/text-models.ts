import type { Models } from '../../session/index.ts'
import { silentVoice } from './silent-voice.ts'

/**
 * The models of a conversation by text: nothing listens, and a silent voice replaces the real one. A realtime model that can
 * only speak keeps its voice, of which the transcript is shown.
 */
export function textModels(models: Models): Models {
  if (!models.realtime) return { llm: models.llm, tts: silentVoice }
  const { realtime } = models
  return realtime.writes === true ? { realtime, tts: silentVoice } : { realtime }
}
