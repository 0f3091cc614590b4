import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { muLaw } from '../../../src/audio/index.ts'
import { MissingKeyError } from '../../../src/providers/errors.ts'
import { conformance, inVirtualTime, ttsConformance, type World } from '../../../src/testing/index.ts'
import type { VoiceServerOptions } from '../../../src/testing/servers/index.ts'
import { lengthOf, openVoice, pieces, type Speaking } from '../speaking.ts'
import { KEY, voiceSubjects, type AnyVoiceServer, type VoiceOptions } from './subjects.ts'

describe.each(voiceSubjects.map((subject) => [subject.name, subject] as const))('%s', (_name, subject) => {
  conformance(
    { describe, it },
    `${subject.name} on a simulated network`,
    ttsConformance,
    ({ clock, network }) => {
      const server = subject.server({ clock })
      network!.serve = server.serve
      return {
        tts: subject.tts(),
        refuses: () => {
          server.manners.refuse = 401
        },
        breaks: () => {
          server.rude.add('fails')
        },
      }
    },
  )

  const open = async (
    world: World,
    manners: VoiceServerOptions = {},
    options: VoiceOptions = {},
  ): Promise<Speaking & { server: AnyVoiceServer }> => {
    const server = subject.server({ clock: world.clock, ...manners })
    const { speak, ...speaking } = await openVoice(world, server, subject.tts(options))
    // Some vendors want a space after each sentence.
    const trimmed: Speaking['speak'] = async (...args) => {
      const spoken = await speak(...args)
      return { ...spoken, text: spoken.text.trim() }
    }
    return { server, ...speaking, speak: trimmed }
  }

  /** Sends a message as the vendor. */
  const tell = (server: AnyVoiceServer, message: object): void =>
    server.open[0]?.connection.send(JSON.stringify(message))

  afterEach(() => vi.unstubAllEnvs())

  it('needs a key', () => {
    vi.stubEnv(subject.variable, '')
    expect(() => subject.tts({ apiKey: '' })).toThrow(MissingKeyError)
    expect(() => subject.tts({ apiKey: '' })).toThrow(subject.variable)
  })

  it('never shows the key', () =>
    inVirtualTime(async (world) => {
      const { voice, context } = await open(world)
      for (const thing of [subject.tts(), voice, context.scope.inspect().tree]) {
        expect(inspect(thing, { depth: 9, showHidden: true })).not.toContain(KEY)
        expect(JSON.stringify(thing)).not.toContain(KEY)
      }
      await context.scope.close()
      const refused = await open(world, {}, { apiKey: `${KEY}-wrong` }).catch((error: unknown) => error)
      expect(refused).toMatchObject({ code: 'LINK_REFUSED', end: { status: 401 } })
      expect(inspect(refused, { depth: 9, showHidden: true })).not.toContain(KEY)
    }))

  it('streams audio with the time of each word', () =>
    inVirtualTime(async (world) => {
      const { context, speak } = await open(world)
      const { text, words, error } = await speak('Good morning to you.')
      expect(error).toBeUndefined()
      expect(text).toBe('Good morning to you.')
      expect(words).toEqual([
        { text: 'Good ', start: 0, end: 200 },
        { text: 'morning ', start: 250, end: 600 },
        { text: 'to ', start: 650, end: 750 },
        { text: 'you. ', start: 800, end: 1_000 },
      ])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ name: subject.link, how: 'closed', retries: 0 }])
    }))

  it('times the words of every sentence from the start of the speech', () =>
    inVirtualTime(async (world) => {
      const { context, speak } = await open(world)
      const { words } = await speak('Good day. Yes.')
      expect(words).toEqual([
        { text: 'Good ', start: 0, end: 200 },
        { text: 'day. ', start: 250, end: 450 },
        { text: 'Yes. ', start: 500, end: 700 },
      ])
      await context.scope.close()
    }))

  it('speaks mu-law to a phone', () =>
    inVirtualTime(async (world) => {
      const server = subject.server({ clock: world.clock })
      const { context, speak } = await openVoice(world, server, subject.tts(), muLaw)
      const { chunks, words } = await speak('Good morning.')
      expect(chunks[0]?.frame).toMatchObject({ sampleRate: 8_000, encoded: { encoding: 'mulaw' } })
      expect(lengthOf(chunks)).toBeGreaterThanOrEqual(650)
      expect(lengthOf(chunks)).toBeLessThanOrEqual(700)
      expect(words).toHaveLength(2)
      await context.scope.close()
    }))

  it('starts to speak before its text is complete', () =>
    inVirtualTime(async (world) => {
      const { context, voice } = await open(world)
      const log: string[] = []
      async function* slowly(): AsyncGenerator<string> {
        yield 'Good morning. How'
        await world.clock.elapse(5_000)
        log.push('text')
        yield ' are you?'
      }
      for await (const chunk of voice.speak(slowly(), new AbortController().signal))
        if (chunk && log.length === 0) log.push('audio')
      expect(log).toEqual(['audio', 'text'])
      await context.scope.close()
    }))

  const textsOf = (server: AnyVoiceServer): string[] =>
    server.sessions.at(-1)!.requests.flatMap((request) => subject.text(request) ?? [])

  it(`sends text ${subject.isInSentences ? 'in whole sentences, each once the next begins' : 'as it comes'}`, () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world)
      async function* slowly(): AsyncGenerator<string> {
        yield* pieces('Good day. How are')
        await world.clock.elapse(1_000)
        expect(textsOf(server)).toEqual(
          subject.isInSentences ? ['Good day. '] : ['Good', ' day.', ' How', ' are'],
        )
        yield* pieces(' you?')
      }
      expect((await speak(slowly())).text).toBe('Good day. How are you?')
      await context.scope.close()
    }))

  it('repeats a speech in the same pieces', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { thinks: 100 })
      world.clock.happen(50, 'breaks', () => server.drop())
      await speak('One. Two.')
      expect(server.sessions).toHaveLength(2)
      const [first, second] = server.sessions.map(({ requests }) =>
        requests.flatMap((request) => subject.text(request) ?? []),
      )
      expect(first).toHaveLength(2)
      expect(second).toEqual(first)
      await context.scope.close()
    }))

  it('cancels an aborted speech and ignores its late audio', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { rude: ['talks on'] })
      const stop = new AbortController()
      world.clock.happen(50, 'interrupts', () => stop.abort('interrupted'))
      const one = await speak('Good morning to you, and to all of your friends.', stop.signal)
      expect(one.error).toBe('interrupted')
      await world.clock.elapse(10)
      expect(server.sessions[0]?.requests.at(-1)).toEqual(subject.cancel('speech-1'))
      expect((await speak('Sorry.')).text).toBe('Sorry.')
      await context.scope.close()
      expect(server.sessions).toHaveLength(1)
    }))

  it('does not cancel a speech that has ended', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world)
      await speak('Yes.')
      const sent = server.sessions[0]?.requests.length
      await world.clock.elapse(100)
      expect(server.sessions[0]?.requests).toHaveLength(sent!)
      await context.scope.close()
    }))

  it('speaks any number of texts at once over one connection', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world)
      const texts = Array.from({ length: 12 }, (_, index) => `This is text ${index}.`)
      const all = await Promise.all(texts.map((text) => speak(text)))
      expect(all.map(({ text, error }) => error ?? text)).toEqual(texts)
      expect(server.sessions).toHaveLength(1)
      await context.scope.close()
    }))

  it('speaks again after many interruptions, over the same connection', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { every: 100, rude: ['talks on'] })
      for (let index = 0; index < 8; index++) {
        const stop = new AbortController()
        world.clock.happen(50, 'interrupts', () => stop.abort('interrupted'))
        const { error } = await speak('A text of three seconds, which goes on and on and on.', stop.signal)
        expect(error).toBe('interrupted')
      }
      expect((await speak('Sorry.')).text).toBe('Sorry.')
      expect(server.sessions).toHaveLength(1)
      await context.scope.close()
    }))

  it('repeats a speech when the connection broke before its first audio', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { thinks: 100 })
      world.clock.happen(50, 'breaks', () => server.drop())
      const { text, words, error } = await speak('Good morning.')
      expect(error).toBeUndefined()
      expect(text).toBe('Good morning.')
      expect(words.map((word) => word.text)).toEqual(['Good ', 'morning. '])
      expect(server.sessions).toHaveLength(2)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 1 }])
    }))

  it('fails a speech whose connection broke after its first audio, and no other', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { rude: ['drops mid-context'] })
      const broken = await speak('Good morning to you.')
      expect(broken.error).toMatchObject({ code: 'PROVIDER_FAILED', retryable: true })
      expect(lengthOf(broken.chunks)).toBe(100)
      server.rude.clear()
      expect((await speak('Sorry.')).text).toBe('Sorry.')
      await context.scope.close()
    }))

  it('fails a speech for which the service reports an error, and no other', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { rude: ['fails'] })
      const failed = await speak('Good morning to you.')
      expect(failed.error).toMatchObject({ code: 'PROVIDER_FAILED' })
      expect(lengthOf(failed.chunks)).toBe(100)
      server.rude.clear()
      expect((await speak('Sorry.')).text).toBe('Sorry.')
      await context.scope.close()
    }))

  it.each<[what: string, manners: VoiceServerOptions]>([
    ['never confirms its end', { rude: ['never done'] }],
    ['sends nothing at all', { rude: ['mute', 'never done'] }],
  ])('fails a speech after stallTimeout if the service %s, and speaks the next one', (_, manners) =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, manners, { stallTimeout: 3_000 })
      const { error } = await speak('Yes.')
      expect(error).toMatchObject({ code: 'PART_TIMEOUT' })
      expect(world.clock.now()).toBeLessThan(3_300)
      server.rude.clear()
      expect((await speak('Sorry.')).text).toBe('Sorry.')
      await context.scope.close()
    }),
  )

  it('keeps the connection when one speech stalls and others do not', () =>
    inVirtualTime(async (world) => {
      const mute: VoiceServerOptions = { rude: ['mute', 'never done'] }
      const { server, context, speak } = await open(world, mute, { stallTimeout: 1_000 })
      const lost = speak('Yes.')
      await world.clock.elapse(500)
      server.rude.clear()
      expect((await speak('No.')).text).toBe('No.')
      expect((await lost).error).toMatchObject({ code: 'PART_TIMEOUT' })
      await world.clock.elapse(5_000)
      expect(server.sessions).toHaveLength(1)
      await context.scope.close()
    }))

  it('[PR3] fails a speech that ends without a sound', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { rude: ['mute', 'never done'] })
      world.clock.happen(50, 'done', () => tell(server, subject.done('speech-1')))
      expect((await speak('Yes.')).error).toMatchObject({ code: 'PROVIDER_FAILED', retryable: true })
      await context.scope.close()
    }))

  it.each<[what: string, audio: string, every: number, within: number]>([
    ['that is far too long for its text', Buffer.alloc(480_000).toString('base64'), 100, 1_000],
    ['that trickles', Buffer.alloc(2).toString('base64'), 900, 12_000],
    ['that goes on without a sound', '', 900, 12_000],
  ])('[PR3] fails a speech %s', (_, audio, every, within) =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { rude: ['mute', 'never done'] })
      const send = (): void => {
        tell(server, subject.audio('speech-1', audio))
        server.open[0]?.connection.after(every, 'next chunk', send)
      }
      world.clock.happen(50, 'chunks', send)
      expect((await speak('Yes.')).error).toMatchObject({
        code: expect.stringMatching(/PROVIDER_FAILED|PART_TIMEOUT/),
      })
      expect(world.clock.now()).toBeLessThan(within)
      await context.scope.close()
    }),
  )

  const malformed = [
    subject.audio('speech-1', { length: 4 }),
    subject.audio('speech-1', 'A'.repeat(4 * 1024 * 1024 + 4)),
    ...subject.malformed.map((make) => make('speech-1')),
  ]
  it.each(
    malformed.map(
      (message) =>
        [inspect(message, { breakLength: Infinity, depth: 9, maxStringLength: 9 }), message] as const,
    ),
  )('[PR1] reconnects and repeats a speech when the service sends %s', (_, message) =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { thinks: 100 })
      world.clock.happen(50, 'a malformed message', () => tell(server, message))
      const { text, error } = await speak('Good morning.')
      expect(error).toBeUndefined()
      expect(text).toBe('Good morning.')
      expect(server.sessions).toHaveLength(2)
      await context.scope.close()
    }),
  )

  it('sleeps after the service closed an idle connection, until the next speech', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world)
      await speak('Yes.')
      await world.clock.elapse(60 * 60_000)
      expect(server.open).toEqual([])
      expect(world.network.dials).toBe(1)
      expect((await speak('No.')).text).toBe('No.')
      expect(world.network.dials).toBe(2)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 0 }])
    }))

  it('fails every speech when the link has failed for good', () =>
    inVirtualTime(async (world) => {
      const { server, context, speak } = await open(world, { thinks: 100 })
      const speech = speak('Good morning.')
      await world.clock.elapse(50)
      server.manners.refuse = 401
      server.drop()
      expect((await speech).error).toMatchObject({ code: 'LINK_REFUSED' })
      expect((await speak('Hello?')).error).toMatchObject({ code: 'LINK_REFUSED' })
      await context.scope.close()
    }))

  it('closes on time although the server ignores the close frame', () =>
    inVirtualTime(async (world) => {
      const { context } = await open(world, { ignoresClose: true })
      const report = await context.scope.close()
      expect(report.took).toBeLessThanOrEqual(2_000)
      expect(context.connections).toMatchObject([{ how: 'aborted' }])
      expect(world.network.sockets.list()).toEqual([])
    }))
})
