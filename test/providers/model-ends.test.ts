import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { muLaw } from '../../src/audio/index.ts'
import { AiSdkLlm, type LanguageModel } from '../../src/providers/ai-sdk/index.ts'
import { MODEL as CARTESIA_MODEL } from '../../src/providers/cartesia/cartesia-tts.ts'
import { MODEL as DEEPGRAM_MODEL } from '../../src/providers/deepgram/deepgram-stt.ts'
import { endOfModel, endingModels, ModelEndWarning } from '../../src/providers/model-ends.ts'
import { OpenAIHttpTts, OpenAIRealtime, OpenAIStt, OpenAITts } from '../../src/providers/openai/index.ts'
import { BACKEND_MODEL, LIVE_MODEL } from '../../src/providers/openai/live/openai-live.ts'
import { REALTIME_MODEL } from '../../src/providers/openai/openai-realtime.ts'
import { SPEECH_MODEL } from '../../src/providers/openai/openai-tts.ts'
import { LIVE_TRANSCRIPTION_MODEL, TRANSCRIPTION_MODEL } from '../../src/providers/openai/session-config.ts'
import type { PartContext, SttEvents, RealtimeEvents } from '../../src/parts/index.ts'
import { inVirtualTime, partContext, type TestPartContext, type World } from '../../src/testing/index.ts'
import { paths, read, root } from '../house/tree.ts'

const openaiDefaults = [
  REALTIME_MODEL,
  LIVE_MODEL,
  BACKEND_MODEL,
  SPEECH_MODEL,
  TRANSCRIPTION_MODEL,
  LIVE_TRANSCRIPTION_MODEL,
]

/** The texts of all type declarations of an installed package, without line breaks of comments. */
function typesOf(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.d.ts'))
    .map((path) => readFileSync(`${folder}/${path}`, 'utf8').replaceAll(/\s+(\* ?)?/g, ' '))
}

/** Versions of OpenAI's SDK that are installed: the one for Node 20, and with `npm run nodes` the newest. */
const openaiTypes = ['', 'test/newest-sdks/'].flatMap((folder) =>
  typesOf(`${root}${folder}node_modules/openai/resources`),
)

/** The ends that OpenAI's SDK announces, from the comments of its types. The SDK for Node 20 announces none. */
const announced = openaiTypes.flatMap((text) =>
  [...text.matchAll(/((?:"[^"]+", )*"[^"]+"): Announced shutdown date: (\d{4}-\d\d-\d\d)/g)].flatMap(
    ([, names = '', date = '']) => [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => ({ name, date })),
  ),
)

const FIRST_IN_TABLE = '2026-12-11'

describe('the table of ends of models', () => {
  it('has every end that the SDK announces', () => {
    if (existsSync(`${root}test/newest-sdks/node_modules/openai`))
      expect(announced.length).toBeGreaterThan(20)
    for (const { name, date } of announced)
      if (date >= FIRST_IN_TABLE) expect(endOfModel('openai', name), name).toBe(date)
  })

  it('has the dated versions of a model', () => {
    expect(endOfModel('openai', 'gpt-realtime-2025-08-28')).toBe('2027-01-20')
    expect(endOfModel('openai', 'gpt-realtime')).toBe('2027-01-20')
    expect(endOfModel('openai', 'gpt-realtime-2.1')).toBeUndefined()
    expect(endOfModel('other', 'gpt-realtime')).toBeUndefined()
  })
})

describe('a default model', () => {
  it.each(openaiDefaults)('has no announced end: %s', (model) => {
    expect(endOfModel('openai', model)).toBeUndefined()
    expect(announced.filter(({ name }) => name === model)).toEqual([])
  })

  it.each([
    [CARTESIA_MODEL, '@cartesia/cartesia-js/resources'],
    [DEEPGRAM_MODEL, '@deepgram/sdk/dist/cjs/api/types'],
  ])("is known to the vendor's SDK: %s", (model, folder) => {
    const types = typesOf(`${root}node_modules/${folder}`)
    expect(types.some((text) => text.includes(`'${model}'`) || text.includes(`"${model}"`))).toBe(true)
  })

  it('is used in every page, example and comment: none of them names a model that ends', () => {
    // Those who use such a model want to know what it costs.
    const exceptions = new Set(['src/providers/model-ends.ts', 'src/session/closing/price-list.ts'])
    const names = endingModels('openai').map((name) => name.replaceAll('.', '\\.'))
    const ending = new RegExp(`(?<![\\w.-])(${names.join('|')})(?![\\w-]|\\.\\d)`, 'g')
    const files = ['README.md', ...['docs', 'examples', 'src'].flatMap((folder) => paths(folder))]
    const found = files
      .filter((path) => /\.(ts|md)$/.test(path) && !exceptions.has(path))
      .flatMap((path) => [...read(path).matchAll(ending)].map(([name]) => `${path}: ${name}`))
    expect(found).toEqual([])
  })
})

interface Warned {
  readonly context: TestPartContext
  readonly warnings: [object, string][]
}

/** A context on this day or later. */
async function on(world: World, day: string): Promise<Warned> {
  await world.clock.elapse(Math.max(0, Date.parse(day) - world.clock.date()))
  const warnings: [object, string][] = []
  const logger = {
    debug() {},
    info() {},
    warn: (fields: object, message: string) => void warnings.push([fields, message]),
    error() {},
  }
  return { context: partContext(world, { logger }), warnings }
}

describe('a model that ends', () => {
  it('is warned about once, from half a year before its end', () =>
    inVirtualTime(async (world) => {
      const end = new ModelEndWarning('mind', 'openai', 'gpt-realtime')
      const fields = { part: 'mind', model: 'gpt-realtime', ends: '2027-01-20' }
      const early = await on(world, '2026-05-01')
      end.warn(early.context)
      const soon = await on(world, '2026-11-16')
      end.warn(soon.context)
      end.warn(soon.context)
      const late = await on(world, '2027-01-20')
      new ModelEndWarning('mind', 'openai', 'gpt-realtime').warn(late.context)
      new ModelEndWarning('mind', 'openai', 'gpt-realtime-2.1').warn(late.context)
      new ModelEndWarning('mind', undefined, 'gpt-realtime').warn(late.context)
      for (const { context } of [early, soon, late]) await context.scope.close()
      expect([early.warnings, soon.warnings, late.warnings]).toEqual([
        [],
        [[fields, 'the vendor ends this model soon: choose another']],
        [[fields, 'the vendor has ended this model: choose another']],
      ])
    }))

  const events = {} as SttEvents & RealtimeEvents
  const setup = {
    hears: muLaw,
    speaks: muLaw,
    instructions: '',
    tools: [],
    messages: [],
    takesTurns: true,
  }
  const model = (id: string): LanguageModel =>
    ({ specificationVersion: 'v3', provider: 'openai.chat', modelId: id, doStream: () => {} }) as never

  it.each<[string, (context: PartContext) => Promise<unknown>]>([
    [
      'OpenAIRealtime',
      (context) => new OpenAIRealtime({ apiKey: 'k', model: 'gpt-realtime' }).open(context, setup, events),
    ],
    [
      'OpenAIRealtime, by its transcription',
      (context) => {
        const transcription = { model: 'whisper-1' }
        return new OpenAIRealtime({ apiKey: 'k', transcription }).open(context, setup, events)
      },
    ],
    ['OpenAIStt', (context) => new OpenAIStt({ apiKey: 'k', model: 'whisper-1' }).open(context, events)],
    ['OpenAITts', (context) => new OpenAITts({ apiKey: 'k', model: 'gpt-realtime-mini' }).open(context)],
    ['OpenAIHttpTts', (context) => new OpenAIHttpTts({ apiKey: 'k', model: 'tts-1' }).open(context)],
    ['AiSdkLlm', (context) => new AiSdkLlm(model('gpt-5-mini-2025-08-07')).open(context)],
  ])('is warned about when it is opened by %s', (_, open) =>
    inVirtualTime(async (world) => {
      world.network.serve = () => ({ refuse: 401 })
      const { context, warnings } = await on(world, '2026-11-16')
      await open(context).catch(() => {})
      await context.scope.close()
      expect(warnings.map(([, message]) => message)).toContain(
        'the vendor ends this model soon: choose another',
      )
    }),
  )
})
