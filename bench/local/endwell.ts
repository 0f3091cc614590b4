import { LocalTts, LocalVad, ScriptedDialogue } from '../../src/providers/local/index.ts'
import { systemClock, systemRandom } from '../../src/scope/index.ts'
import { partContext } from '../../src/testing/index.ts'
import { clinic } from '../../test/fixtures/clinic.ts'
import { clips, framesOf } from '../../test/fixtures/speech.ts'
import type { Measure } from '../bench.ts'
import { perCall } from '../sampling.ts'
import { recognition } from './recognition.ts'

const dialogue = new ScriptedDialogue(clinic)
const unaborted = new AbortController().signal

export const measure: Measure = async () => {
  const context = partContext({ clock: systemClock, random: systemRandom })
  try {
    return {
      ...(await recognition(context.scope, dialogue.phrases)),
      vad: await vad(context),
      voice: await voice(context),
      dialogue: await answers(context),
    }
  } finally {
    await context.scope.close()
  }
}

type Context = ReturnType<typeof partContext>

/** Microseconds per frame of 20 ms. */
async function vad(context: Context): Promise<number> {
  const frames = clips.flatMap(({ samples }) => framesOf(samples))
  const stream = await new LocalVad().open(context, { started() {}, stopped() {}, failed() {} })
  const all = await perCall(async () => {
    for (const frame of frames) stream.push(frame)
  })
  return all / frames.length
}

/** Milliseconds from a sentence to its first sound, with a warm voice. */
async function voice(context: Context): Promise<number> {
  const speaker = await new LocalTts().open(context)
  let first = 0
  for (const sentence of ['Good morning.', 'How are you?', 'What a day.', 'Which day would suit you best?']) {
    const askedAt = performance.now()
    for await (const chunk of speaker.speak(once(sentence), unaborted)) {
      first = performance.now() - askedAt
      if (chunk) break
    }
  }
  return first
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}

/** Microseconds per answer in a conversation of ten turns. */
async function answers(context: Context): Promise<number> {
  const client = await dialogue.open(context)
  const messages = Array.from({ length: 10 }, (_, index) => ({
    role: 'user' as const,
    text: index % 2 === 0 ? 'book an appointment on monday' : 'when are you open',
  }))
  const tools = [{ name: 'book', description: '', parameters: {} }]
  return perCall(async () => {
    let words = 0
    for await (const chunk of client.generate({ instructions: '', messages, tools }, unaborted))
      if (chunk.type === 'text') words++
    return words
  })
}
