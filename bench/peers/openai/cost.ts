import { RealtimeAgent, RealtimeSession } from '@openai/agents-realtime'
import type { CostSubject } from '../cost/cost-subject.ts'

const agent = new RealtimeAgent({ name: 'desk', instructions: 'You answer the phone.' })

export const subject: CostSubject = {
  imports: [import.meta.resolve('@openai/agents-realtime')],
  packages: ['@openai/agents-realtime'],
  vendor: 'openai',
  start: async (url) => {
    const session = new RealtimeSession(agent, { transport: 'websocket', tracingDisabled: true })
    const ready = new Promise<void>((resolve) => {
      session.on('transport_event', ({ type }) => {
        if (type === 'session.updated') resolve()
      })
    })
    await session.connect({ apiKey: 'key', url: `${url}/v1/realtime?model=gpt-realtime-2.1` })
    // `connect()` does not wait until the server has confirmed the settings. endwell does.
    await ready
    const next = (event: 'audio' | 'audio_interrupted'): Promise<void> =>
      new Promise((resolve) => {
        session.once(event, () => resolve())
      })
    return {
      reply() {
        const heard = next('audio')
        session.sendMessage('Hello.')
        return heard
      },
      interrupt() {
        const cleared = next('audio_interrupted')
        session.interrupt()
        return cleared
      },
      close: async () => session.close(),
    }
  },
}
