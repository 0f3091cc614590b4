import { pcm } from '../../src/audio/index.ts'
import { describe, expect, it } from 'vitest'
import type { Realtime, RealtimeEvents } from '../../src/parts/index.ts'
import { GeminiLive } from '../../src/providers/gemini/index.ts'
import { OpenAILive, OpenAIRealtime } from '../../src/providers/openai/index.ts'
import { XaiRealtime } from '../../src/providers/xai/index.ts'
import { inVirtualTime, partContext, type Peer } from '../../src/testing/index.ts'

const setup = {
  hears: pcm(16_000),
  speaks: pcm(24_000),
  instructions: '',
  tools: [],
  messages: [],
  takesTurns: true,
}
const options = { apiKey: 'secret-key', url: 'wss://vendor.example' }
/** 20 s of sound. */
const audio = Buffer.alloc(960_000).toString('base64')
/** 20 s of a tone at its highest level, because silence is no answer of a model that never stops sending. */
const loud = Buffer.alloc(960_000, 0x7f).toString('base64')
const words = 'and so on '.repeat(500)

interface Vendor {
  readonly realtime: () => Realtime
  readonly begins: readonly object[]
  readonly sound: object
  readonly text: object
  /** Milliseconds between messages. Default: 1 s. */
  readonly every?: number
}

const ids = { response_id: 'r', item_id: 'i' }
const vendors: Record<string, Vendor> = {
  openai: {
    realtime: () => new OpenAIRealtime(options),
    begins: [
      { type: 'session.updated' },
      { type: 'response.created', response: { id: 'r' } },
      { type: 'response.output_item.added', response_id: 'r', item: { type: 'message', id: 'i' } },
    ],
    sound: { type: 'response.output_audio.delta', ...ids, delta: audio },
    text: { type: 'response.output_audio_transcript.delta', ...ids, delta: words },
  },
  'openai live': {
    realtime: () => new OpenAILive(options),
    begins: [{ type: 'session.started' }],
    // A longer pause would end the answer.
    every: 250,
    sound: { type: 'session.output_audio.delta', delta: loud },
    text: { type: 'session.output_transcript.delta', delta: words },
  },
  xai: {
    realtime: () => new XaiRealtime(options),
    begins: [
      { type: 'session.updated' },
      { type: 'response.created', response: { id: 'r' } },
      { type: 'response.output_item.added', response_id: 'r', item: { type: 'message', id: 'i' } },
    ],
    sound: { type: 'response.output_audio.delta', ...ids, delta: audio },
    text: { type: 'response.output_audio_transcript.delta', ...ids, delta: words },
  },
  gemini: {
    realtime: () => new GeminiLive(options),
    begins: [{ setupComplete: {} }],
    sound: { serverContent: { modelTurn: { parts: [{ inlineData: { data: audio } }] } } },
    text: { serverContent: { outputTranscription: { text: words } } },
  },
}

describe('an answer that does not end', () => {
  it.each(
    Object.keys(vendors).flatMap((name) => (['sound', 'text'] as const).map((what) => [name, what] as const)),
  )('[PR3] fails: %s, endless %s', (name, what) =>
    inVirtualTime(async (world) => {
      const vendor = vendors[name]!
      let emitted = 0
      const ends: unknown[] = []
      const events = new Proxy({} as RealtimeEvents, {
        get:
          (_, event) =>
          (...args: unknown[]) => {
            if (event === 'audio' || event === 'text') emitted++
            if (event === 'responseEnded') ends.push(args.slice(1))
          },
      })
      const send = (peer: Peer): void => {
        peer.send(JSON.stringify(vendor[what]))
        peer.after(vendor.every ?? 1_000, () => send(peer))
      }
      world.network.serve = () => ({
        opened: (peer) => {
          for (const message of vendor.begins) peer.send(JSON.stringify(message))
          send(peer)
        },
      })
      const context = partContext(world)
      await vendor.realtime().open(context, setup, events)
      await world.clock.elapse(60 * (vendor.every ?? 1_000))
      expect(emitted).toBeLessThanOrEqual(31)
      expect(ends).toEqual([['failed', expect.objectContaining({ code: 'PROVIDER_FAILED' })]])
      await context.scope.close()
    }),
  )
})
