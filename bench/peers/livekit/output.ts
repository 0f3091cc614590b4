import type { Case } from '../case.ts'
import { elapse, ours } from '../ours.ts'
import { theirs } from './desk.ts'

/** What plays the sound misbehaves. */
export const output: readonly Case[] = [
  {
    name: 'output-never-finishes',
    about: 'the output never reports that it has played anything',
    shows: ['process stays'],
    theirs: theirs({ output: { neverFinishes: true }, arrive: (desk) => desk.speaks() }),
    ours: ours({ line: { confirms: false }, arrive: (desk) => desk.speaks() }),
  },
  {
    name: 'output-write-never-settles',
    about: 'a write to the output never settles',
    shows: ['process stays'],
    theirs: theirs({ output: { writesHang: true }, arrive: (desk) => desk.speaks() }),
    ours: ours({ faults: { 'task:speech 1': 'hang' }, arrive: (desk) => desk.start().then(() => say(desk)) }),
  },
  {
    name: 'output-clear-throws',
    about: 'the output cannot be cleared',
    shows: ['process crashes'],
    theirs: theirs({ output: { clearThrows: true }, arrive: (desk) => desk.speaks() }),
    ours: ours({
      arrive: async (desk) => {
        await desk.speaks()
        desk.line.connection.clear = () => {
          throw new Error('no clear')
        }
      },
    }),
  },
  {
    name: 'uninterruptible-speech-dead-output',
    about: 'a speech that may not be interrupted, on an output that never reports',
    shows: ['process stays'],
    theirs: theirs({
      output: { neverFinishes: true },
      arrive: (desk) => desk.speaks({ allowInterruptions: false }),
    }),
    ours: ours({
      line: { confirms: false },
      arrive: async (desk) => {
        await desk.start()
        desk.session.say('Nobody may interrupt this.', { interruptible: false })
        await elapse(100)
      },
    }),
  },
]

async function say({ session }: { session: { say(text: string): unknown } }): Promise<void> {
  session.say('Nobody will hear this.')
  await elapse(100)
}
