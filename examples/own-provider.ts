import { Agent, Session } from 'endwell'
import { bytesOf, pcm, type AudioFrame } from 'endwell/audio'
import type { PartContext, Stt, SttEvents, SttSetup } from 'endwell/parts'
import { Link, type Data } from 'endwell/link'
import { ScriptedLlm, ScriptedTts, ScriptedVad, TestLine } from 'endwell/testing'
import { LoopbackServer } from 'endwell/testing/servers'

// #region shown
/** A vendor's streaming speech-to-text: JSON in text frames, PCM16 in binary frames. */
class ParrotStt implements Stt {
  readonly name = 'parrot'
  readonly hears = [pcm(16_000)]
  readonly #url: string
  readonly #key: string

  constructor({ url, key }: { url: string; key: string }) {
    this.#url = url
    this.#key = key
  }

  async open(context: PartContext, events: SttEvents, { format }: SttSetup) {
    const handle = (data: Data): string => {
      const { type, text } = read(data)
      if (type === 'guess') events.interim(text)
      if (type === 'words') events.final(text)
      return type
    }
    // The link connects, retries, keeps the connection alive, queues, and ends with the session's scope.
    const link = await Link.open(context, {
      name: this.name,
      request: () => ({ url: this.#url, headers: { authorization: `Bearer ${this.#key}` } }),
      message: (data) => void handle(data),
      failed: (error) => events.failed(error),
      keepAlive: { every: 5_000, frame: () => '{"type":"alive"}' },
      // The vendor's own end, sent when the session closes. The report says whether it was acknowledged.
      ending: { frames: () => ['{"type":"end"}'], answer: (data) => handle(data) === 'ended' },
    })
    return {
      push: (frame: AudioFrame) => link.sendAudio(bytesOf(frame, format)),
      flush: () => link.send('{"type":"flush"}'),
      // This vendor takes no key terms.
      configure: () => {},
      detach: () => void context.scope.end(link).catch(() => {}),
    }
  }
}

/** Checks the fields before they are used: a vendor may send anything, and an exception would end the link. */
function read(data: Data): { type: string; text: string } {
  const { type, text } = JSON.parse(String(data)) as { type?: unknown; text?: unknown }
  return { type: typeof type === 'string' ? type : '', text: typeof text === 'string' ? text : '' }
}
// #endregion

// A vendor's server on a real local socket. It recognises all speech as the same word.
const server = await LoopbackServer.listen({
  serve: () => ({
    message: (peer, data) => {
      const say = (message: object): void => peer.send(JSON.stringify(message))
      if (typeof data !== 'string') {
        const silence = data.every((byte) => byte === 0)
        return silence ? undefined : say({ type: 'guess', text: 'Squa' })
      }
      const { type } = JSON.parse(data) as { type: string }
      if (type === 'flush') say({ type: 'words', text: 'Squawk.' })
      if (type === 'end') say({ type: 'ended', text: '' })
      return undefined
    },
  }),
})

const line = new TestLine()
const session = new Session({
  agent: new Agent({ name: 'keeper', instructions: 'You look after the parrot.' }),
  models: {
    stt: new ParrotStt({ url: server.url, key: 'seed' }),
    vad: new ScriptedVad(),
    llm: new ScriptedLlm({ answers: ['Good bird.'] }),
    tts: new ScriptedTts(),
  },
  line,
})
session.on('user', ({ text }) => console.log(`user: ${text}`))
await session.start()
await line.caller.says(300)
await line.caller.pauses(1_000)
await line.caller.hears('Good bird.')
const { connections, clean } = await session.close()
console.log(
  connections.find(({ name }) => name === 'parrot'),
  clean,
)
await server.close()
