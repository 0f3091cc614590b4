import { pcm } from '../../src/audio/index.ts'
import {
  noSttEvents,
  silentLogger,
  type Llm,
  type Logger,
  type PartContext,
  type Realtime,
  type RealtimeEvents,
  type Stt,
} from '../../src/parts/index.ts'
import { fallbackLlm, fallbackRealtime, fallbackStt } from '../../src/parts/fallback/index.ts'
import { partContext, type World } from '../../src/testing/index.ts'
import { SimVendor, type Mood, type SimCall } from './fallback/sim-vendor.ts'
import { VendorHealthChecker, times, type Round } from './fallback/vendor-health-checker.ts'

const moods: Readonly<Record<Mood, number>> = { up: 5, refuses: 2, fails: 2, breaks: 1, hangs: 2 }

type Kind = 'llm' | 'stt' | 'realtime'

/** Calls that share a fallback, whose vendors fail, hang and recover at random. */
export async function fallbackLife(world: World): Promise<void> {
  const { random, clock } = world
  const count = random.pick([1, 2, 2, 3, 3, 4])
  const kind = random.pick<Kind>(['llm', 'stt', 'realtime'])
  const checker = new VendorHealthChecker(world, count)
  const calls = new Map<Logger, SimCall>()
  const callOf = ({ logger }: PartContext): SimCall => calls.get(logger)!
  const vendors = Array.from({ length: count }, (_, index) => new SimVendor(index, world, checker, callOf))
  const fallback = {
    llm: fallbackLlm(
      vendors.map(({ llm }) => llm),
      times,
    ),
    stt: fallbackStt(
      vendors.map(({ stt }) => stt),
      times,
    ),
    realtime: fallbackRealtime(
      vendors.map(({ realtime }) => realtime),
      times,
    ),
  }
  const running: Promise<void>[] = []
  for (let step = random.int(5, 40); step > 0; step--) {
    await clock.elapse(random.next() * random.pick([50, 300, 2_000]))
    const vendor = random.pick(vendors)
    switch (random.weighted({ call: 4, mood: 4, speaks: 3, loses: 1 })) {
      case 'call': {
        const logger = { ...silentLogger }
        const name = `call ${calls.size + 1}`
        const call: SimCall = {
          name,
          round: { asks: new Map(), opensOnly: kind === 'llm' },
          live: 0,
          isOver: false,
        }
        calls.set(logger, call)
        running.push(live(world, call, partContext(world, { logger }), kind, fallback))
        break
      }
      case 'mood':
        vendor.mood = random.weighted(moods)
        world.tell(`${vendor.name} ${vendor.mood}`)
        if (vendor.mood !== 'up') vendor.loses()
        break
      case 'speaks':
        vendor.speaks()
        break
      case 'loses':
        vendor.loses()
        break
    }
  }
  await Promise.all(running)
  for (const { name, live: left } of calls.values())
    if (left !== 0) world.violate('SC15', `${name} leaves ${left} models open`)
}

interface Fallbacks {
  readonly llm: Llm
  readonly stt: Stt
  readonly realtime: Realtime
}

/** One call: opens the fallback, uses it for a while, and closes it, possibly in the middle of something. */
async function live(
  world: World,
  call: SimCall,
  context: PartContext,
  kind: Kind,
  fallback: Fallbacks,
): Promise<void> {
  const { clock, random } = world
  const { scope } = context
  const using = kind === 'llm' ? ask(world, call, context, fallback.llm) : open(context, kind, fallback)
  using.catch((error: unknown) => checkFailure(world, call, error, fallback.llm.name.split(' or ').length))
  await clock.elapse(random.next() * random.pick([200, 2_000, 10_000]), `${call.name} goes on`)
  call.isOver = true
  if (random.chance(0.2)) scope.abort()
  await scope.close()
  await using.catch(() => {})
}

async function open(
  context: PartContext,
  kind: 'stt' | 'realtime',
  { stt, realtime }: Fallbacks,
): Promise<void> {
  const format = pcm(16_000)
  const events = new Proxy({} as RealtimeEvents, { get: () => () => {} })
  const setup = {
    hears: format,
    speaks: format,
    instructions: '',
    tools: [],
    messages: [],
    takesTurns: true,
  }
  if (kind === 'stt') await stt.open(context, noSttEvents, { format, keyTerms: [] })
  else await realtime.open(context, setup, events)
}

/** Asks the model again and again, one request at a time. Some requests are cancelled. */
async function ask(world: World, call: SimCall, context: PartContext, llm: Llm): Promise<void> {
  const { clock, random } = world
  const client = await llm.open(context)
  while (!call.isOver) {
    await clock.elapse(random.next() * 1_000, `${call.name} is silent`)
    if (call.isOver) return
    const round: Round = { asks: new Map(), opensOnly: false }
    call.round = round
    const cancel = new AbortController()
    if (random.chance(0.1))
      clock.happen(random.next() * 300, `${call.name} cancels`, () => {
        round.isCancelled = true
        cancel.abort('cancelled')
      })
    try {
      const request = { instructions: '', messages: [], tools: [] }
      for await (const chunk of client.generate(request, cancel.signal))
        if (chunk.type !== 'text') world.violate('FB1', 'an answer is not the vendor’s')
    } catch (error) {
      checkFailure(world, call, error, llm.name.split(' or ').length)
    }
  }
}

/** A request fails only after every vendor was asked, and in the middle of an answer. */
function checkFailure(world: World, call: SimCall, error: unknown, count: number): void {
  if ((error as { code?: string }).code !== 'ALL_FAILED') return
  const { asks } = call.round
  if (asks.size < count)
    world.violate('FB3', `${call.name} failed, and ${count - asks.size} vendors were not asked`)
}
