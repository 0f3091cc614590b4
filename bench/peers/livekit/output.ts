import type { Case } from '../case.ts'
import { elapse, ours } from '../ours.ts'
import { theirs } from './livekit-subject.ts'

/** The audio output misbehaves. */
export const output: readonly Case[] = [
  {
    name: 'output-never-finishes',
    about: 'the output never reports that it has played anything',
    shows: ['process stays'],
    theirs: theirs({ output: { neverFinishes: true }, arrive: (subject) => subject.speaks() }),
    ours: ours({ line: { confirms: false }, arrive: (subject) => subject.speaks() }),
  },
  {
    name: 'output-write-never-settles',
    about: 'a write to the output never settles',
    shows: ['process stays'],
    theirs: theirs({ output: { writesHang: true }, arrive: (subject) => subject.speaks() }),
    ours: ours({
      faults: { 'task:speech 1': 'hang' },
      arrive: (subject) => subject.start().then(() => say(subject)),
    }),
  },
  {
    name: 'output-clear-throws',
    about: 'clearing the output throws',
    shows: ['process crashes'],
    theirs: theirs({ output: { clearThrows: true }, arrive: (subject) => subject.speaks() }),
    ours: ours({
      arrive: async (subject) => {
        await subject.speaks()
        subject.line.connection.clear = () => {
          throw new Error('no clear')
        }
      },
    }),
  },
  {
    name: 'uninterruptible-speech-dead-output',
    about: 'an uninterruptible speech on an output that never reports',
    shows: ['process stays'],
    theirs: theirs({
      output: { neverFinishes: true },
      arrive: (subject) => subject.speaks({ allowInterruptions: false }),
    }),
    ours: ours({
      line: { confirms: false },
      arrive: async (subject) => {
        await subject.start()
        subject.session.say('This cannot be interrupted.', { interruptible: false })
        await elapse(100)
      },
    }),
  },
]

async function say({ session }: { session: { say(text: string): unknown } }): Promise<void> {
  session.say('This is not heard.')
  await elapse(100)
}
