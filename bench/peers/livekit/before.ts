// The LiveKit side of docs/from-livekit.md.
// #region agent
import { cli, defineAgent, llm, ServerOptions, voice, type JobContext } from '@livekit/agents'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { calendar, save } from '../clinic.ts'

interface Call {
  patient?: string
}

class Billing extends voice.Agent<Call> {
  constructor() {
    super({ instructions: 'You are the billing office of Bright Dental.' })
  }

  override async onEnter(): Promise<void> {
    this.session.generateReply()
  }
}

class Reception extends voice.Agent<Call> {
  constructor() {
    super({
      instructions: 'You answer the phone for Bright Dental. Be brief.',
      tools: {
        findSlot: llm.tool({
          description: 'Find a free appointment',
          parameters: z.object({ patient: z.string(), day: z.string() }),
          execute: async ({ patient, day }, { ctx, abortSignal }: llm.ToolOptions<Call>) => {
            ctx.userData.patient = patient
            ctx.session.say('Let me look.')
            return await calendar.firstFree(day, { signal: abortSignal })
          },
        }),
        toBilling: llm.tool({
          description: 'Put the caller through to billing',
          execute: async () => llm.handoff({ agent: new Billing() }),
        }),
        goodbye: llm.tool({
          description: 'Say goodbye and hang up',
          execute: async (_, { ctx }: llm.ToolOptions<Call>) => {
            ctx.session.say(`Goodbye, ${ctx.userData.patient ?? 'and thank you'}!`)
            ctx.session.shutdown({ drain: true })
          },
        }),
      },
    })
  }

  override async onEnter(): Promise<void> {
    this.session.say('Bright Dental, good morning!')
  }
}

export default defineAgent({
  entry: async (ctx: JobContext) => {
    const session = new voice.AgentSession<Call>({
      stt: 'deepgram/flux-general-en',
      llm: 'openai/gpt-5.4-mini',
      tts: 'cartesia/sonic-3:9626c31c-bec5-4cca-baa8-f8ba9e84c8bc',
      turnHandling: { turnDetection: 'stt' },
      userData: {},
    })
    ctx.addShutdownCallback(() => save(session.history.items.length))
    await session.start({ agent: new Reception(), room: ctx.room })
    await ctx.connect()
  },
})

cli.runApp(new ServerOptions({ agent: fileURLToPath(import.meta.url) }))
// #endregion
