import { GoogleGenAI, Modality } from '@google/genai'
import { noop } from '../../../src/scope/index.ts'
import type { CostSubject } from '../cost/cost-subject.ts'

export const subject: CostSubject = {
  imports: [import.meta.resolve('@google/genai')],
  packages: ['@google/genai'],
  vendor: 'gemini',
  start: async (url) => {
    const { live } = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: url.replace('ws:', 'http:') } })
    let onSound: () => void = noop
    let onReady: () => void = noop
    const ready = new Promise<void>((resolve) => {
      onReady = resolve
    })
    const session = await live.connect({
      model: 'gemini-2.5-flash-live',
      config: { responseModalities: [Modality.AUDIO] },
      callbacks: {
        onmessage: ({ data, setupComplete }) => {
          if (setupComplete) onReady()
          if (data !== undefined) onSound()
        },
      },
    })
    // `connect()` does not wait until the server has confirmed the settings. endwell does.
    await ready
    return {
      reply: () =>
        new Promise((resolve) => {
          onSound = resolve
          session.sendClientContent({ turns: 'Hello.', turnComplete: true })
        }),
      close: async () => session.close(),
    }
  },
}
