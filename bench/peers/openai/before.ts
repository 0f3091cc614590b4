// The OpenAI side of docs/from-openai-agents.md.
import type { WebSocket } from 'ws'
// #region agent
import { TwilioRealtimeTransportLayer } from '@openai/agents-extensions'
import { RealtimeAgent, RealtimeSession, tool } from '@openai/agents/realtime'
import { z } from 'zod'
import { calendar, save } from '../clinic.ts'

interface Call {
  patient?: string
}

const billing = new RealtimeAgent<Call>({
  name: 'billing',
  instructions: 'You are the billing office of Bright Dental.',
  handoffDescription: 'Answers questions about bills',
})

const reception = new RealtimeAgent<Call>({
  name: 'reception',
  instructions: 'You answer the phone for Bright Dental. Be brief.',
  handoffs: [billing],
  tools: [
    tool({
      name: 'findSlot',
      description: 'Find a free appointment',
      parameters: z.object({ patient: z.string(), day: z.string() }),
      execute: async ({ patient, day }, context) => {
        if (context) (context.context as Call).patient = patient
        return await calendar.firstFree(day)
      },
    }),
  ],
})

/** Answers one call of Twilio, whose media stream is a WebSocket of your server. */
export async function answer(twilioWebSocket: WebSocket): Promise<void> {
  const transport = new TwilioRealtimeTransportLayer({ twilioWebSocket })
  const session = new RealtimeSession(reception, { transport, context: {} })
  twilioWebSocket.on('close', () => {
    session.close()
    save(session.history.length).catch(console.error)
  })
  await session.connect({ apiKey: process.env['OPENAI_API_KEY']! })
  session.sendMessage('Greet the caller.')
}
// #endregion
