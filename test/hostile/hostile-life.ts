import { Agent, Session, tool, type SessionReport } from '../../src/session/index.ts'
import { noop, type DialRequest } from '../../src/scope/index.ts'
import type { Line, Llm, Realtime, Stt, Tts, Vad } from '../../src/parts/index.ts'
import {
  callTool,
  ScriptedLlm,
  ScriptedRealtime,
  ScriptedStt,
  ScriptedTts,
  ScriptedVad,
  TestLine,
  type Manners,
  type World,
} from '../../src/testing/index.ts'
import { AssemblyAIStt } from '../../src/providers/assemblyai/index.ts'
import { CartesiaStt, CartesiaTts } from '../../src/providers/cartesia/index.ts'
import { DeepgramFluxStt, DeepgramStt, DeepgramTts } from '../../src/providers/deepgram/index.ts'
import { ElevenLabsStt, ElevenLabsTts } from '../../src/providers/elevenlabs/index.ts'
import { InworldTts } from '../../src/providers/inworld/index.ts'
import { RimeTts } from '../../src/providers/rime/index.ts'
import { GeminiLive } from '../../src/providers/gemini/index.ts'
import { OpenAILive, OpenAIRealtime } from '../../src/providers/openai/index.ts'
import { XaiRealtime } from '../../src/providers/xai/index.ts'
import {
  AssemblyAIServer,
  CartesiaInkServer,
  CartesiaServer,
  DeepgramFluxServer,
  DeepgramServer,
  DeepgramSpeakServer,
  ElevenLabsScribeServer,
  ElevenLabsServer,
  GeminiLiveServer,
  RimeServer,
  InworldServer,
  OpenAILiveServer,
  OpenAIRealtimeServer,
  XaiRealtimeServer,
} from '../../src/testing/servers/index.ts'
import { hostileVendor } from './hostile-vendor.ts'
import { hostileEvents, hostileFunction, hostileObject, type Hostility } from './misbehave.ts'

/** How long a caller may wait in silence, in milliseconds, before somebody must have been told. */
const SILENCE = 45_000

/** What must never happen, by kind. */
export type Kind = 'crashes' | 'freezes' | 'silent' | 'untrue'

/** One hostile call beside a healthy one, in virtual time. Violations are named by their kind. */
export async function hostileLife(world: World): Promise<void> {
  const { clock, random, violate } = world
  const healthy = aHealthyCall(world)
  await healthy.session.start()
  const talking = healthy.talk()
  const hostile = aHostileCall(world)
  await hostile.live()
  await talking
  const report = await healthy.session.close()
  if (healthy.answered !== healthy.asked)
    violate('freezes', `the healthy call got ${healthy.answered} of ${healthy.asked} answers`)
  if (!report.clean) violate('untrue', `the healthy call was not clean: ${JSON.stringify(report.errors)}`)
  // Late callbacks of parts that have been closed.
  await clock.elapse(random.int(0, 5_000))
}

/** A call in which nothing goes wrong. */
function aHealthyCall({ clock, random }: World) {
  const line = new TestLine()
  const session = new Session({
    agent: new Agent({ instructions: 'You answer the phone.' }),
    models: { llm: new ScriptedLlm({ answers: () => 'Fine.' }), tts: new ScriptedTts() },
    line,
    turns: { mode: 'manual' },
    clock,
    random,
  })
  const call = {
    session,
    asked: 0,
    answered: 0,
    async talk(): Promise<void> {
      for (let turn = 0; turn < 20; turn++) {
        const before = line.heard.length
        call.asked++
        line.caller.types('How are you?')
        session.commitTurn()
        await clock.elapse(5_000)
        if (line.heard.length > before) call.answered++
      }
    },
  }
  return call
}

/** A call in which everything that is not endwell's misbehaves at random: parts, the line, or a vendor. */
function aHostileCall(world: World) {
  const { clock, random, tell, violate } = world
  const hostility: Hostility = { random, tell, rate: random.pick([0.02, 0.1, 0.4]) }
  const shaken = <F extends (...args: never[]) => unknown>(name: string, work: F): F =>
    hostileFunction(hostility, name, work)
  const line = new TestLine()
  const models = modelsOf(world, hostility)
  const closed: SessionReport[] = []
  let errors = 0
  const session = new Session({
    agent: new Agent({
      instructions: 'You answer the phone.',
      tools: {
        look: tool({ description: 'Looks', timeout: 5_000, run: shaken('tool look', () => 'found') }),
      },
      guardrails: {
        input: { polite: shaken('guardrail', () => undefined) },
        output: { short: shaken('guardrail', () => undefined) },
      },
      stages: random.chance(0.3) ? { text: (text) => text } : {},
      onEnter: shaken(
        'onEnter',
        ({ session: own }: { session: { say(text: string): unknown } }) => void own.say('Hello.'),
      ),
      onTurn: shaken('onTurn', () => undefined),
      onExit: shaken('onExit', () => undefined),
    }),
    models,
    line: withHostileEvents(hostility, 'line', line, clock),
    turns: models.realtime ? {} : { mode: 'manual' },
    afterCall: shaken('afterCall', () => undefined),
    afterCallTimeout: 1_000,
    recording: hostileObject(hostility, 'sink', { write() {}, close() {}, abort() {} }),
    logger: hostileObject(hostility, 'logger', { debug() {}, info() {}, warn() {}, error() {} }),
    onLate: shaken('onLate', () => undefined),
    clock,
    random,
    network: world.network,
  })
  for (const name of ['started', 'state', 'user', 'speaking', 'spoken', 'tool-done', 'error'] as const)
    session.on(
      name,
      shaken(`listener of ${name}`, () => undefined),
    )
  session.on('error', () => errors++)
  session.on('closed', (report) => closed.push(report))
  if (random.chance(0.3)) session.on('error', () => void session.say('Sorry.'))
  if (random.chance(0.1)) session.on('spoken', () => void session.say(''))

  /** The caller types. Somebody must answer, or be told that nobody does. */
  const turn = async (): Promise<void> => {
    const noticed = (): number => (line.counts.opened > 0 ? line.heard.length : 0) + errors + closed.length
    const before = noticed()
    line.caller.types(random.pick(['Hello?', 'Look, please.', 'Goodbye']))
    session.commitTurn()
    for (let waited = 0; waited < SILENCE && noticed() === before; waited += 1_000) await clock.elapse(1_000)
    if (noticed() === before) violate('silent', `nothing was heard or told for ${SILENCE} ms`)
  }

  return {
    async live(): Promise<void> {
      await session.start().catch(noop)
      for (let turns = random.int(1, 4); turns > 0 && session.state === 'live'; turns--) await turn()
      const end = random.pick(['close', 'drain', 'hangUp', 'hangsUp', 'vanishes'] as const)
      tell(`end: ${end}`)
      if (end === 'close') session.close().catch(noop)
      else if (end === 'drain') session.drain().catch(noop)
      else if (end === 'hangUp') session.hangUp({ say: 'Goodbye!' }).catch(noop)
      else if (line.counts.opened > 0 && session.state === 'live') line.caller[end]()
      // A graceful end is bounded by stalls; a close of its own ends the rest.
      await clock.elapse(60_000)
      const report = await session.close()
      await session.afterCall
      if (closed.length !== 1) violate('untrue', `${closed.length} closed events`)
      if (report.took > report.closeTimeout) violate('untrue', `the close took ${report.took} ms`)
      if (report.clean && report.errorCount > 0) violate('untrue', `clean despite ${report.errors[0]?.where}`)
      if (report.clean && !report.scope.clean) violate('untrue', 'clean although its scope is not')
      if (JSON.stringify(report).includes(secret)) violate('untrue', 'the report contains a key')
    },
  }
}

/** A key that no report may contain. */
const secret = 'sk-hostile-0123456789'

const vendors = [
  'openai',
  'gemini',
  'deepgram',
  'flux',
  'assemblyai',
  'ink',
  'scribe',
  'cartesia',
  'aura',
  'elevenlabs',
  'xai',
  'rime',
  'inworld',
  'openai live',
] as const

function modelsOf({ random, clock, network }: World, hostility: Hostility) {
  const answers = () =>
    random.pick(['Fine.', ['Let me look. ', callTool('look')], 'It is a long story, in fact.'])
  const llm: Llm = hostileObject(hostility, 'llm', new ScriptedLlm({ answers }))
  const tts: Tts = hostileObject(hostility, 'tts', new ScriptedTts())
  const serves = (server: { serve(request: DialRequest): Manners }): void => {
    network.serve = hostileVendor(hostility, (request) => server.serve(request), secret)
  }
  switch (random.pick(['parts', 'parts', 'realtime', ...vendors] as const)) {
    case 'realtime': {
      const realtime: Realtime = new ScriptedRealtime({ answers })
      return { realtime: withHostileEvents(hostility, 'realtime', realtime, clock) }
    }
    case 'openai':
      serves(new OpenAIRealtimeServer({ clock, answers: () => 'Fine.' }))
      return { realtime: new OpenAIRealtime({ apiKey: secret }) }
    case 'openai live':
      serves(new OpenAILiveServer({ clock, answers: () => 'Fine.' }))
      return { realtime: new OpenAILive({ apiKey: secret }) }
    case 'xai':
      serves(new XaiRealtimeServer({ clock, answers: () => 'Fine.' }))
      return { realtime: new XaiRealtime({ apiKey: secret }) }
    case 'gemini':
      serves(new GeminiLiveServer({ clock, answers: () => 'Fine.' }))
      return { realtime: new GeminiLive({ apiKey: secret }) }
    case 'deepgram':
      serves(new DeepgramServer({ clock }))
      return { llm, tts, stt: new DeepgramStt({ apiKey: secret }) }
    case 'flux':
      serves(new DeepgramFluxServer({ clock }))
      return { llm, tts, stt: new DeepgramFluxStt({ apiKey: secret, eagerThreshold: 0.5 }) }
    case 'assemblyai':
      serves(new AssemblyAIServer({ clock }))
      return { llm, tts, stt: new AssemblyAIStt({ apiKey: secret }) }
    case 'ink':
      serves(new CartesiaInkServer({ clock }))
      return { llm, tts, stt: new CartesiaStt({ apiKey: secret }) }
    case 'scribe':
      serves(new ElevenLabsScribeServer({ clock }))
      return { llm, tts, stt: new ElevenLabsStt({ apiKey: secret }) }
    case 'cartesia':
      serves(new CartesiaServer({ clock }))
      return { llm, tts: new CartesiaTts({ apiKey: secret, voice: 'any' }) }
    case 'aura':
      serves(new DeepgramSpeakServer({ clock }))
      return { llm, tts: new DeepgramTts({ apiKey: secret }) }
    case 'elevenlabs':
      serves(new ElevenLabsServer({ clock }))
      return { llm, tts: new ElevenLabsTts({ apiKey: secret, voice: 'any' }) }
    case 'rime':
      serves(new RimeServer({ clock }))
      return { llm, tts: new RimeTts({ apiKey: secret, voice: 'any' }) }
    case 'inworld':
      serves(new InworldServer({ clock }))
      return { llm, tts: new InworldTts({ apiKey: secret, voice: 'any' }) }
    case 'parts':
      break
  }
  const stt: Stt = new ScriptedStt({ finalOn: 'flush' })
  const vad: Vad = new ScriptedVad()
  return {
    llm,
    tts,
    stt: withHostileEvents(hostility, 'stt', stt, clock),
    vad: withHostileEvents(hostility, 'vad', vad, clock),
  }
}

/** Wraps a part: its methods misbehave, and it calls its events with garbage, at once, later, and after its end. */
function withHostileEvents<Part extends Line | Stt | Vad | Realtime>(
  hostility: Hostility,
  name: string,
  part: Part,
  clock: World['clock'],
): Part {
  const { random, rate } = hostility
  const proxy = new Proxy(part, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target)
      if (key !== 'open' || typeof value !== 'function') return value
      return (...args: never[]): unknown => {
        // A realtime model takes its events last, every other part second.
        const events = args[name === 'realtime' ? 2 : 1] as unknown as object
        for (let times = 0; times < 4; times++) {
          if (!random.chance(rate)) continue
          // Not a timer of the scope: a part may call back whenever it likes.
          const later = random.int(0, 100_000)
          clock.elapse(later).then(() => hostileEvents(hostility, name, events), noop)
        }
        return Reflect.apply(value, target, args)
      }
    },
  })
  return hostileObject(hostility, name, proxy)
}
