// #region the lines that are added: the imports and the guard
import 'endwell/guard/install' // once, before the SDK
import { formatGuard, guardGemini, type Guard } from 'endwell/guard'
import { Modality, type GoogleGenAI, type LiveCallbacks } from '@google/genai'

export async function answer(ai: GoogleGenAI, callbacks: LiveCallbacks): Promise<Guard> {
  const call = guardGemini(ai.live, { name: 'call 42', closeTimeout: 3_000 })
  call.on('closed', (report) => console.log(formatGuard(report)))
  const session = await call.connect({
    model: 'gemini-2.5-flash-live',
    config: { responseModalities: [Modality.AUDIO] },
    callbacks,
  })
  session.sendRealtimeInput({ text: 'Hello.' })
  return call
}
// #endregion
