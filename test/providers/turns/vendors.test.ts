import { describe, expect, it } from 'vitest'
import { aLaw, muLaw, sine } from '../../../src/audio/index.ts'
import { AssemblyAIStt, type AssemblyAISttOptions } from '../../../src/providers/assemblyai/index.ts'
import { CartesiaStt } from '../../../src/providers/cartesia/index.ts'
import { DeepgramFluxStt } from '../../../src/providers/deepgram/index.ts'
import { inVirtualTime } from '../../../src/testing/index.ts'
import {
  AssemblyAIServer,
  CartesiaInkServer,
  DeepgramFluxServer,
} from '../../../src/testing/servers/index.ts'
import { listen } from './listening.ts'

const apiKey = 'secret-0123456789'
const keyTerms = ['Bright Dental', 'endwell']

describe('DeepgramFluxStt', () => {
  it('has its options and key terms in the URL', () =>
    inVirtualTime(async (world) => {
      const server = new DeepgramFluxServer({ clock: world.clock })
      const stt = new DeepgramFluxStt({
        apiKey,
        url: 'wss://proxy.example.com/',
        model: 'flux-general-multi',
        languages: ['en', 'es'],
        endThreshold: 0.8,
        eagerThreshold: 0.4,
        endTimeout: 3_000,
        extra: { numerals: true },
      })
      const { context } = await listen(world, server, stt, { keyTerms, format: muLaw })
      const { query } = server.sessions[0]!
      expect([...query]).toEqual([
        ['model', 'flux-general-multi'],
        ['encoding', 'mulaw'],
        ['sample_rate', '8000'],
        ['eot_threshold', '0.8'],
        ['eager_eot_threshold', '0.4'],
        ['eot_timeout_ms', '3000'],
        ['language_hint', 'en'],
        ['language_hint', 'es'],
        ['keyterm', 'Bright Dental'],
        ['keyterm', 'endwell'],
        ['numerals', 'true'],
      ])
      expect(server.dials[0]?.url).toMatch(/^wss:\/\/proxy\.example\.com\/v2\/listen\?/)
      await context.scope.close()
    }))

  it('changes key terms once the service has confirmed the last change', () =>
    inVirtualTime(async (world) => {
      const server = new DeepgramFluxServer({ clock: world.clock, thinks: 100 })
      const { stream, context } = await listen(world, server, new DeepgramFluxStt({ apiKey }))
      for (const term of ['one', '', 'two', 'three']) stream.configure({ keyTerms: [term] })
      await world.clock.elapse(50)
      const configured = (): unknown[] =>
        server.sessions.flatMap(({ controls }) => controls.filter(({ type }) => type === 'Configure'))
      expect(configured()).toEqual([{ type: 'Configure', keyterms: ['one'] }])
      await world.clock.elapse(200)
      expect(configured().slice(1)).toEqual([{ type: 'Configure', keyterms: ['three'] }])
      // A refused change is confirmed, too.
      stream.configure({ keyTerms: [''] })
      stream.configure({ keyTerms: ['four'] })
      await world.clock.elapse(500)
      expect(configured().at(-1)).toEqual({ type: 'Configure', keyterms: ['four'] })
      stream.configure({ keyTerms: ['never confirmed'] })
      await world.clock.elapse(10)
      server.drop()
      await world.clock.elapse(2_000)
      expect(server.sessions[1]?.query.getAll('keyterm')).toEqual(['never confirmed'])
      stream.configure({ keyTerms: ['five'] })
      await world.clock.elapse(200)
      expect(configured().at(-1)).toEqual({ type: 'Configure', keyterms: ['five'] })
      await context.scope.close()
    }))

  it('does not force the end of a turn unless Deepgram has enabled it', () =>
    inVirtualTime(async (world) => {
      const server = new DeepgramFluxServer({ clock: world.clock })
      const polite = await listen(world, server, new DeepgramFluxStt({ apiKey }))
      polite.say('Yes. ')
      polite.stream.flush()
      await world.clock.elapse(100)
      expect(server.sessions[0]?.controls).toEqual([])
      await polite.context.scope.close()
      const { stream, log, context } = await listen(
        world,
        server,
        new DeepgramFluxStt({ apiKey, forceEndTurn: true }),
      )
      stream.flush()
      await world.clock.elapse(100)
      expect(log).toEqual(['failed LINK_FATAL  cannot read ForceEndTurn'])
      expect(world.network.dials).toBe(2)
      await context.scope.close()
    }))

  it.each<[code: string, log: string[]]>([
    ['INTERNAL_SERVER_ERROR', []],
    ['NET-0000', []],
    ['INVALID_PARAMETER', ['failed LINK_FATAL  sorry']],
  ])('reconnects after an error of the service, and fails for one of its own: %s', (code, expected) =>
    inVirtualTime(async (world) => {
      const server = new DeepgramFluxServer({ clock: world.clock })
      const { log, context } = await listen(world, server, new DeepgramFluxStt({ apiKey }))
      server.open[0]!.connection.send(JSON.stringify({ type: 'Error', code, description: 'sorry' }))
      await world.clock.elapse(2_000)
      expect(log).toEqual(expected)
      expect(world.network.dials).toBe(expected.length === 0 ? 2 : 1)
      await context.scope.close()
    }),
  )

  it('ignores what is said about a turn that has ended', () =>
    inVirtualTime(async (world) => {
      const server = new DeepgramFluxServer({ clock: world.clock })
      const { say, quiet, log, context } = await listen(world, server, new DeepgramFluxStt({ apiKey }))
      say('Yes. ')
      quiet(1_000)
      await world.clock.elapse(10)
      const before = log.length
      for (const event of ['StartOfTurn', 'Update', 'EagerEndOfTurn', 'TurnResumed', 'EndOfTurn']) {
        const message = { type: 'TurnInfo', event, turn_index: 0, transcript: 'No.', words: [] }
        server.open[0]!.connection.send(JSON.stringify(message))
      }
      await world.clock.elapse(10)
      expect(log.slice(before)).toEqual([])
      await context.scope.close()
    }))

  it('reports the language of a turn', () =>
    inVirtualTime(async (world) => {
      const server = new DeepgramFluxServer({ clock: world.clock })
      const stt = new DeepgramFluxStt({ apiKey, model: 'flux-general-multi' })
      const { say, quiet, details, context } = await listen(world, server, stt)
      say('Yes. ')
      quiet(1_000)
      await world.clock.elapse(10)
      expect(details[0]).toMatchObject({ language: 'en', words: [{ text: 'Yes.', confidence: 0.9 }] })
      await context.scope.close()
    }))
})

describe('AssemblyAIStt', () => {
  it.each<[options: AssemblyAISttOptions, query: Record<string, string>]>([
    [{}, { speech_model: 'universal-3-5-pro', encoding: 'pcm_s16le', sample_rate: '16000' }],
    [
      {
        model: 'universal-streaming-multilingual',
        languages: ['en', 'es'],
        sampleRate: 8_000,
        endThreshold: 0.5,
        minSilence: 200,
        maxSilence: 2_000,
        extra: { language_detection: true },
      },
      {
        speech_model: 'universal-streaming-multilingual',
        encoding: 'pcm_s16le',
        sample_rate: '8000',
        format_turns: 'true',
        end_of_turn_confidence_threshold: '0.5',
        min_turn_silence: '200',
        max_turn_silence: '2000',
        language_codes: '["en","es"]',
        language_detection: 'true',
      },
    ],
  ])('has its options and key terms in the URL: %o', (options, expected) =>
    inVirtualTime(async (world) => {
      const server = new AssemblyAIServer({ clock: world.clock })
      const { context } = await listen(world, server, new AssemblyAIStt({ apiKey, ...options }), { keyTerms })
      expect(Object.fromEntries(server.sessions[0]!.query)).toEqual({
        ...expected,
        keyterms_prompt: JSON.stringify(keyTerms),
      })
      expect(server.dials[0]?.headers).toMatchObject({ authorization: apiKey })
      await context.scope.close()
    }),
  )

  it('emits the formatted end of a turn only, unless formatting is off', () =>
    inVirtualTime(async (world) => {
      const model = 'universal-streaming-english'
      for (const [format, text] of [
        [true, 'final Good morning.'],
        [false, 'final good morning'],
      ] as const) {
        const server = new AssemblyAIServer({ clock: world.clock })
        const stt = new AssemblyAIStt({ apiKey, model, format })
        const { log, say, quiet, context } = await listen(world, server, stt)
        say('Good morning. ')
        quiet(1_000)
        await world.clock.elapse(10)
        expect(log.filter((each) => /final|^end/.test(each))).toEqual([text, 'end of turn'])
        await context.scope.close()
      }
    }))

  it('ends a turn on flush, and changes key terms at once', () =>
    inVirtualTime(async (world) => {
      const server = new AssemblyAIServer({ clock: world.clock })
      const { stream, log, say, context } = await listen(world, server, new AssemblyAIStt({ apiKey }))
      say('Yes.')
      stream.flush()
      stream.configure({ keyTerms })
      await world.clock.elapse(10)
      expect(log.slice(-2)).toEqual(['final Yes.', 'end of turn'])
      expect(server.sessions[0]?.controls).toEqual([
        { type: 'ForceEndpoint' },
        { type: 'UpdateConfiguration', keyterms_prompt: keyTerms },
      ])
      await context.scope.close()
    }))

  it('sends audio in messages of a length that the service accepts, whatever the frames', () =>
    inVirtualTime(async (world) => {
      const server = new AssemblyAIServer({ clock: world.clock })
      const { stream, log, context } = await listen(world, server, new AssemblyAIStt({ apiKey }), {
        format: muLaw,
      })
      for (const duration of [10, 3, 2_306, 20, 700, 1])
        stream.push(sine(300, { sampleRate: 8_000, duration }))
      stream.flush()
      await world.clock.elapse(1_000)
      expect(log.filter((each) => each.startsWith('failed'))).toEqual([])
      expect(server.sessions).toHaveLength(1)
      await context.scope.close()
    }))

  it('moves to a new connection before three hours have passed', () =>
    inVirtualTime(async (world) => {
      const server = new AssemblyAIServer({ clock: world.clock })
      const { context, log } = await listen(world, server, new AssemblyAIStt({ apiKey }))
      await world.clock.elapse(177 * 60_000)
      expect(world.network.dials).toBe(2)
      expect(log).toEqual([])
      await context.scope.close()
    }))

  it.each<[code: number, dials: number, log: string[]]>([
    [4001, 1, ['failed LINK_FATAL  sorry']],
    [4002, 1, ['failed LINK_FATAL  sorry']],
    [3005, 2, []],
    [3008, 2, []],
    [3009, 2, []],
  ])('judges the error %i', (error_code, dials, expected) =>
    inVirtualTime(async (world) => {
      const server = new AssemblyAIServer({ clock: world.clock })
      const { log, context } = await listen(world, server, new AssemblyAIStt({ apiKey }))
      server.open[0]!.connection.send(JSON.stringify({ type: 'Error', error_code, error: 'sorry' }))
      await world.clock.elapse(2_000)
      expect(log).toEqual(expected)
      expect(world.network.dials).toBe(dials)
      await context.scope.close()
    }),
  )

  it.each([
    [4001, 'LINK_FATAL'],
    [3005, undefined],
  ])('judges the close code %i', (code, expected) =>
    inVirtualTime(async (world) => {
      const server = new AssemblyAIServer({ clock: world.clock })
      const { log, context } = await listen(world, server, new AssemblyAIStt({ apiKey }))
      server.close(code, 'sorry')
      await world.clock.elapse(2_000)
      expect(log).toEqual(expected === undefined ? [] : [`failed ${expected} ${code} sorry`])
      await context.scope.close()
    }),
  )
})

describe('CartesiaStt', () => {
  it('has its options and key terms in the URL', () =>
    inVirtualTime(async (world) => {
      const server = new CartesiaInkServer({ clock: world.clock, key: apiKey })
      const stt = new CartesiaStt({
        apiKey,
        startThreshold: 0.7,
        endThreshold: 0.1,
        eagerThreshold: 0.5,
        endTimeout: 2_000,
      })
      const { context } = await listen(world, server, stt, { keyTerms, format: aLaw })
      expect([...server.sessions[0]!.query]).toEqual([
        ['model', 'ink-2'],
        ['encoding', 'pcm_alaw'],
        ['sample_rate', '8000'],
        ['turn_start_threshold', '0.7'],
        ['turn_end_threshold', '0.1'],
        ['turn_eager_end_threshold', '0.5'],
        ['turn_end_timeout_ms', '2000'],
        ['keyterm', 'Bright Dental'],
        ['keyterm', 'endwell'],
      ])
      expect(server.dials[0]?.headers).toMatchObject({ 'cartesia-version': '2026-08-14' })
      await context.scope.close()
    }))

  it('keeps its connection after an error about one message', () =>
    inVirtualTime(async (world) => {
      const server = new CartesiaInkServer({ clock: world.clock })
      const { log, say, quiet, stream, context } = await listen(world, server, new CartesiaStt({ apiKey }))
      server.open[0]!.receive('hello')
      stream.configure({ keyTerms })
      stream.flush()
      say('Yes. ')
      quiet(1_000)
      await world.clock.elapse(100)
      expect(log.at(-1)).toBe('end of turn')
      expect(world.network.dials).toBe(1)
      expect(server.sessions[0]?.controls).toEqual([])
      server.drop()
      await world.clock.elapse(2_000)
      expect(server.sessions[1]?.query.getAll('keyterm')).toEqual(keyTerms)
      await context.scope.close()
    }))
})
