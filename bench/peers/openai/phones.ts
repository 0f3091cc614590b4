import type { Case } from '../case.ts'
import { OpenAISubject } from './openai-subject.ts'
import { started } from './ours.ts'

/** Phone calls with the Twilio transport of `@openai/agents-extensions`. */
export const phones: readonly Case[] = [
  {
    name: 'phone-at-close',
    about: 'the session of a phone call is closed',
    ourFault: 'the phone is a line with a connection to the same server',
    shows: ['socket left', 'process stays'],
    vendor: 'openai, answers close frames',
    theirs: async (context) => (await OpenAISubject.connected(context, { phone: true })).call(),
    ours: async (context) => (await started(context, { phone: true })).call(),
  },
  {
    name: 'phone-at-a-drop',
    about: 'the connection to the model breaks, and the session emits no event, so the app does not close it',
    ourFault:
      'the phone is a line with a connection to the same server; the model connects again, and the session is closed then',
    shows: ['socket left', 'process stays'],
    vendor: 'openai, answers close frames',
    theirs: async (context) => {
      const subject = await OpenAISubject.connected(context, { phone: true })
      await context.far({ do: 'vendor', order: 'break the connection' })
      return subject.endsByItself()
    },
    // A session of endwell connects again and goes on, so it has to be closed.
    ours: async (context) => {
      const subject = await started(context, { phone: true })
      await context.far({ do: 'vendor', order: 'break the connection' })
      await context.seen({ connections: 3 })
      return subject.call()
    },
  },
  {
    name: 'phone-hangs-up',
    about: 'the caller hangs up, and the server does not answer the close frame',
    ourFault: 'the phone is a line with a connection to the same server',
    shows: ['socket left', 'process stays'],
    vendor: 'openai',
    theirs: async (context) => {
      const subject = await OpenAISubject.connected(context, { phone: true })
      await context.far({ do: 'vendor', order: 'hang up the phone' })
      return subject.endsByItself()
    },
    ours: async (context) => {
      const subject = await started(context, { phone: true })
      subject.hangUp()
      return subject.endsByItself()
    },
  },
]
