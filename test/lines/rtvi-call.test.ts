import { describe, expect, it } from 'vitest'
import { concat, pcm, sine, toneLevel } from '../../src/audio/index.ts'
import { limits } from '../../src/lines/rtvi-websocket/limits.ts'
import { encodeMessage, encodeSound } from '../../src/lines/rtvi-websocket/frames.ts'
import type { Line } from '../../src/parts/index.ts'
import { Agent, Session } from '../../src/session/index.ts'
import { ScriptedLlm, ScriptedStt, ScriptedTts, ScriptedVad, type World } from '../../src/testing/index.ts'
import { rtviScene, type RtviScene } from './rtvi-fixture.ts'

const WORDS = 'Bright Dental, good morning! How can I help you?'
const WHOLE = WORDS.length * 50

describe('the end of a call from an RTVI client', () => {
  it.each([
    ['disconnects', 1005],
    ['closes its tab', 1001],
    ['closes with 1000', 1000],
  ])('[LN1] [RV9] is a hang-up, at once and after the pending marks, if the client %s', (_, code) =>
    rtviScene(async ({ clock, call: calls }) => {
      const { client, call } = await calls()
      call.say(WORDS, 1)
      await clock.elapse(1_000)
      client.leaves(code)
      await clock.elapse(2)
      const [marked = '', end] = call.emitted
      expect(end).toBe('hung up')
      expect(marked).toMatch(/^marked 1 \d+ assumed$/)
      const heard = Number(marked.split(' ')[2])
      expect(heard).toBeGreaterThan(900)
      expect(heard).toBeLessThanOrEqual(1_010)
    }),
  )

  it('[LN1] [RV9] is a loss at once if its connection is cut, or closed with another code', () =>
    rtviScene(async ({ clock, call: calls, wires }) => {
      const one = await calls()
      wires.cut()
      await clock.elapse(2)
      const two = await calls()
      two.client.leaves(1011)
      await clock.elapse(2)
      for (const { call } of [one, two]) {
        expect(call.emitted).toEqual(['lost'])
        await call.context.scope.close()
        expect(call.context.connections).toMatchObject([{ name: 'rtvi', how: 'dropped', retries: 0 }])
      }
    }))

  it('[LN2] [RV9] is a loss within lostTimeout, and not before, if its network goes silent', () =>
    rtviScene(async ({ clock, call: calls, wires }) => {
      const { call, client } = await calls()
      await clock.elapse(20_000)
      expect(call.emitted).toEqual([])
      wires.vanish()
      client.freezes()
      await clock.elapse(5_900)
      expect(call.emitted).toEqual([])
      await clock.elapse(2_200)
      expect(call.emitted).toEqual(['lost'])
    }))

  it('[LN2] [RV9] does not come for a client whose microphone is muted: its browser answers pings', () =>
    rtviScene(async ({ clock, call: calls }) => {
      const { call } = await calls()
      await clock.elapse(10 * 60_000)
      expect(call.emitted).toEqual([])
    }))

  it('[RV9] is a loss if the client connects and never becomes ready', () =>
    rtviScene(async ({ clock, call: calls }) => {
      const { call } = await calls({ readyAfter: 'never' })
      await clock.elapse(7_900)
      expect(call.emitted).toEqual([])
      await clock.elapse(200)
      expect(call.emitted).toEqual(['lost'])
    }))

  it('[LN6] [RV9] is a loss with an error if the client breaks the protocol', () =>
    rtviScene(async ({ clock, call: calls }) => {
      const silence = new Int16Array(256)
      const odd = encodeSound(silence, 16_000)
      // The bytes of the sound, one less than an even number.
      odd.set([0x12, 0x86, 0x04, 0x1a, 0xff, 0x03])
      for (const bytes of [Uint8Array.of(1, 2, 3), encodeSound(silence, 44_100), odd.slice(0, 6 + 511 + 6)]) {
        const { client, call } = await calls()
        client.sendBytes(bytes)
        await clock.elapse(3)
        expect(call.emitted).toEqual(['lost CLIENT_MISBEHAVED'])
        expect(client.end?.code).toBe(1008)
      }
    }))

  it('[LN7] is a loss with an error if the client sends too many messages, texts or keys', () =>
    rtviScene(async ({ clock, call: calls }) => {
      const one = await calls()
      const nothing = encodeMessage('')
      for (let i = 0; i <= limits.messages.burst; i++) one.client.sendBytes(nothing)
      const two = await calls()
      for (let i = 0; i <= 60; i++) two.client.says('send-text', { content: 'How are you?' })
      await clock.elapse(5)
      expect(one.call.emitted).toEqual(['lost CLIENT_MISBEHAVED'])
      expect(two.call.emitted.at(-1)).toBe('lost CLIENT_MISBEHAVED')
      expect(two.call.emitted.length).toBeLessThan(60)
    }))
})

describe('a call that ends on our side', () => {
  it('[RV9] tells the client so, which disconnects by itself', () =>
    rtviScene(async ({ clock, call: calls }) => {
      const { client, call } = await calls()
      const report = await call.context.scope.close()
      expect(report.clean).toBe(true)
      expect(report.took).toBeLessThan(10)
      await clock.elapse(2)
      expect(client.all('error')).toEqual([{ error: 'The call has ended.', fatal: true }])
      expect(call.context.connections).toMatchObject([{ how: 'closed' }])
      expect(call.emitted).toEqual([])
    }))

  it('[RV1] [RV9] waits for a client that is not ready yet, because it would wait for ever', () =>
    rtviScene(async ({ clock, client: clients, answered }) => {
      const client = await clients({ readyAfter: 300 })
      await clock.elapse(100)
      await answered[0]!.context.scope.close()
      expect(client.messages.map(({ type }) => type)).toEqual(['bot-ready', 'error'])
      expect(clock.now()).toBeLessThan(310)
    }))

  it('[RV9] closes the connection of a client that does not disconnect, and cuts one that does not answer that either', () =>
    rtviScene(async ({ clock, call: calls, wires }) => {
      const one = await calls({ obeys: false })
      const began = clock.now()
      expect((await one.call.context.scope.close()).clean).toBe(true)
      expect(clock.now() - began).toBeLessThan(limits.farewell + 10)
      expect(one.client.end?.code).toBe(1000)
      const two = await calls({ obeys: false })
      wires.vanish()
      two.client.freezes()
      const report = await two.call.context.scope.close()
      expect(report.took).toBeLessThanOrEqual(limits.closePatience + 10)
      expect(two.call.context.connections).toMatchObject([{ how: 'aborted' }])
    }))

  it.each([
    ['rejects', () => Promise.reject(new Error('no models')), 10],
    ['never opens the line', () => {}, 1_100],
  ])('[RV1] [RV9] because onCall %s is told to the client', (_, onCall, after) =>
    rtviScene(
      async ({ clock, client: clients, calls }) => {
        const client = await clients()
        await clock.elapse(after)
        expect(client.messages.map(({ type, data }) => [type, data?.['error']])).toEqual([
          ['bot-ready', undefined],
          ['error', 'The agent could not take the call.'],
        ])
        await clock.elapse(5)
        expect(calls.size).toBe(0)
        expect(client.end).toBeDefined()
      },
      { onCall, answerTimeout: 1_000 },
    ),
  )

  it('[RV9] ends with the scope that owns it, and its session gets the error', () =>
    rtviScene(async ({ clock, call: calls, scope }) => {
      const { client, call } = await calls()
      const report = await scope.close()
      expect(report.clean).toBe(true)
      await clock.elapse(5)
      expect(call.emitted).toEqual(['lost CALLS_CLOSED'])
      expect(client.end).toBeDefined()
    }))
})

describe('the sound of a call', () => {
  it('[RV10] begins when the client is ready, and is never more than 200 ms ahead of what is heard', () =>
    rtviScene(async ({ clock, client: clients, answered }) => {
      const client = await clients({ readyAfter: 300 })
      await clock.elapse(100)
      const [call] = answered
      call!.say(WORDS, 1)
      await clock.elapse(WHOLE + 400)
      expect(client.words).toBe(WORDS)
      const first = client.arrived[0]!.at
      expect(first).toBeGreaterThan(300)
      let sent = 0
      for (const { at, ms } of client.arrived) {
        sent += ms
        expect(sent - (at - first)).toBeLessThanOrEqual(limits.ahead + 1)
      }
      expect(call!.emitted).toEqual([`marked 1 ${WHOLE} assumed`])
    }))

  it('[LN3] [RV10] goes on for at most 200 ms after a clear, which is reported, and never as confirmed', () =>
    rtviScene(async ({ clock, call: calls }) => {
      const { client, call } = await calls()
      call.say(WORDS, 1)
      await clock.elapse(1_000)
      call.connection.clear()
      call.connection.mark(2)
      const cleared = clock.now()
      await clock.elapse(500)
      const audible = client.audibleAfter(cleared)
      expect(audible).toBeGreaterThan(100)
      expect(audible).toBeLessThanOrEqual(220)
      const heard = Number(call.emitted[0]?.split(' ')[2])
      expect(call.emitted).toEqual([`marked 1 ${heard} assumed`, 'marked 2 0 assumed'])
      // To a character and a half.
      expect(Math.abs(heard - client.words.length * 50)).toBeLessThan(75)
    }))

  it.each([8_000, 24_000, 48_000] as const)(
    '[RV13] from a client that sends %i Hz is heard at 16 kHz',
    (rate) =>
      rtviScene(async ({ clock, call: calls }) => {
        const { client, call } = await calls()
        const { samples } = sine(300, { sampleRate: rate, duration: 1_000 })
        for (let at = 0; at < samples.length; at += rate / 50) {
          client.sendBytes(encodeSound(samples.subarray(at, at + rate / 50), rate))
          await clock.elapse(20)
        }
        const heard = concat(call.frames, 16_000)
        expect(heard.samples.length).toBeGreaterThan(15_800)
        expect(heard.samples.length).toBeLessThanOrEqual(16_000)
        expect(toneLevel(heard, 300) - toneLevel(heard, 900)).toBeGreaterThan(40)
        expect(call.emitted).toEqual([])
      }),
  )

  it('[RV13] to a client is sent at the rate at which it plays', () =>
    rtviScene(
      async ({ clock, call: calls }) => {
        const { client, call } = await calls()
        expect(call.line.speaks).toEqual(pcm(8_000))
        call.connection.play(sine(300, { sampleRate: 8_000, duration: 1_000 }))
        await clock.elapse(1_500)
        // The test client plays 24 kHz.
        expect(client.arrived.reduce((sum, { ms }) => sum + ms, 0)).toBeCloseTo(1_000 / 3, 0)
      },
      { playerSampleRate: 8_000 },
    ))

  it('[RV11] from the client is heard at 16 kHz, and of what it has recorded before only the last second', () =>
    rtviScene(async ({ clock, call: calls }) => {
      const { client, call } = await calls({ recorded: 60_000 })
      await clock.elapse(20)
      const before = call.frames.length
      client.speaks(2_000)
      await clock.elapse(2_100)
      const length = call.frames.reduce((sum, { samples }) => sum + samples.length / 16, 0)
      expect(before).toBeLessThanOrEqual(4)
      expect(length).toBeGreaterThan(2_900)
      expect(length).toBeLessThan(3_100)
      expect(new Set(call.frames.map(({ sampleRate }) => sampleRate))).toEqual(new Set([16_000]))
      expect(call.emitted).toEqual([])
    }))
})

/** Plays a scene with a session that greets and answers. */
function withSession(
  play: (scene: RtviScene, sessions: readonly Session[]) => Promise<void>,
  onLine: (line: Line) => void = () => {},
): Promise<void> {
  const sessions: Session[] = []
  const sessionOn = (line: Line, { clock, random, network }: World): Session =>
    new Session({
      agent: new Agent({ name: 'desk', instructions: '', onEnter: ({ session }) => session.say(WORDS) }),
      models: {
        llm: new ScriptedLlm({ answers: () => 'We are open from eight to six.' }),
        tts: new ScriptedTts({ speaks: [pcm(24_000)] }),
        stt: new ScriptedStt(),
        vad: new ScriptedVad(),
      },
      line,
      clock,
      random,
      network,
    })
  return rtviScene(
    (scene) => play(scene, sessions),
    (world) => ({
      onCall: (line) => {
        onLine(line)
        const session = sessionOn(line, world)
        sessions.push(session)
        return session.start()
      },
    }),
  )
}

describe('a session on the line', () => {
  it.each([0, 300])(
    '[RV1] says that it is ready before anything else, since the client learns our version from that, if the client is ready after %i ms',
    (readyAfter) =>
      withSession(async ({ clock, client: clients }) => {
        const client = await clients({ readyAfter })
        await clock.elapse(1_000)
        const types = client.messages.map(({ type }) => type)
        expect(types.slice(0, 2)).toEqual(['bot-ready', 'bot-output'])
        expect(client.all('bot-output').map(({ text }) => text)).toContain('How can I help you?')
        client.leaves()
        await clock.elapse(10)
      }),
  )

  it('[RV1] [RV2] greets when the client is ready, and shows what is said', () =>
    withSession(async ({ clock, client: clients }) => {
      const client = await clients({ readyAfter: 200 })
      await clock.elapse(WHOLE + 1_000)
      expect(client.isConnected).toBe(true)
      expect(client.words).toBe(WORDS)
      const outputs = client.all('bot-output')
      expect(outputs.at(-1)).toMatchObject({ text: 'How can I help you?', spoken_status: 'completed' })
      client.says('send-text', { content: 'When are you open?' })
      await clock.elapse(4_000)
      expect(client.words).toBe(`${WORDS}We are open from eight to six.`)
      client.leaves()
      await clock.elapse(10)
    }))

  it('[RV10] is interrupted, and what it claims to have been heard is what the client has played', () =>
    withSession(async ({ clock, client: clients }, sessions) => {
      const client = await clients()
      await clock.elapse(1_200)
      client.says('send-text', { content: 'Stop!' })
      await clock.elapse(300)
      const [greeting] = sessions[0]!.history.items
      expect(greeting).toMatchObject({ role: 'agent', interrupted: true })
      const played = client.words.split('We are')[0]!
      const { text } = greeting as { readonly text: string }
      expect(Math.abs(played.length - text.length)).toBeLessThanOrEqual(2)
      client.leaves()
      await clock.elapse(10)
    }))
})
