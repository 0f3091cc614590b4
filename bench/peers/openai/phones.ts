import type { Case } from '../case.ts'
import { Desk } from './desk.ts'
import { started } from './ours.ts'

/** Calls from a phone, by the transport for Twilio of `@openai/agents-extensions`. */
export const phones: readonly Case[] = [
  {
    name: 'phone-at-close',
    about: 'the session of a phone call is closed',
    ourFault: 'the phone is a line that holds a connection to the same server',
    shows: ['socket left', 'process stays'],
    vendor: 'openai, answers close frames',
    theirs: async (stage) => (await Desk.connected(stage, { phone: true })).call(),
    ours: async (stage) => (await started(stage, { phone: true })).call(),
  },
  {
    name: 'phone-at-a-drop',
    about: 'the connection to the model breaks: there is no event of the session, so nobody closes it',
    ourFault:
      'the phone is a line that holds a connection to the same server; the model connects again, and the session is closed then',
    shows: ['socket left', 'process stays'],
    vendor: 'openai, answers close frames',
    theirs: async (stage) => {
      const desk = await Desk.connected(stage, { phone: true })
      await stage.far({ do: 'vendor', order: 'break the connection' })
      return desk.unasked()
    },
    // Ours connects again and goes on: somebody has to end it.
    ours: async (stage) => {
      const desk = await started(stage, { phone: true })
      await stage.far({ do: 'vendor', order: 'break the connection' })
      await stage.seen({ connections: 3 })
      return desk.call()
    },
  },
  {
    name: 'phone-hangs-up',
    about: 'the caller hangs up; the server does not answer the close frame',
    ourFault: 'the phone is a line that holds a connection to the same server',
    shows: ['socket left', 'process stays'],
    vendor: 'openai',
    theirs: async (stage) => {
      const desk = await Desk.connected(stage, { phone: true })
      await stage.far({ do: 'vendor', order: 'hang up the phone' })
      return desk.unasked()
    },
    ours: async (stage) => {
      const desk = await started(stage, { phone: true })
      desk.hangUp()
      return desk.unasked()
    },
  },
]
