import * as vitest from 'vitest'
import { describe, expect, expectTypeOf, it } from 'vitest'

import { Agent, type Session, type SessionReport } from '../../src/index.ts'
import type { Llm, LlmClient, LlmRequest, PartContext, Stt, Tts, Vad } from '../../src/parts/index.ts'
import type { Clock, Network, Random } from '../../src/scope/index.ts'
import * as testing from '../../src/testing/index.ts'
import {
  Faults,
  ScriptedLlm,
  ScriptedRealtime,
  ScriptedStt,
  SimClock,
  SimNetwork,
  SimRandom,
  TestLine,
  VirtualTime,
  callTool,
  check,
  conformance,
  findings,
  inVirtualTime,
  llmConformance,
  noLeaks,
  rehearse,
  simulate,
  sttConformance,
  type Check,
  type Fault,
  type Finding,
  type Life,
  type LlmStep,
  type LlmSubject,
  type Manners,
  type MockTool,
  type Rehearsal,
  type RehearsalOptions,
  type ScriptedSttOptions,
  type ScriptedTts,
  type ScriptedVad,
  type Stage,
  type Turn,
  type TurnEvent,
  type TurnToolCall,
  type World,
} from '../../src/testing/index.ts'

// These tests are checked by the compiler (`npm run check:types`). Their code never runs.
const types = (code: () => unknown): void => expect(code).toBeTypeOf('function')
declare const rehearsal: Rehearsal
declare const turn: Turn

describe('a rehearsal', () => {
  it('takes an agent, and known options only', () =>
    types(async (agent = {} as Agent) => {
      expectTypeOf(await rehearse(agent)).toEqualTypeOf<Rehearsal>()
      await rehearse(agent, {
        answers: ['Hello.', [callTool('book', { day: 'Sunday' })]],
        closeTimeout: 1_000,
      })
      await rehearse(agent, {
        answers: (request, index) => {
          expectTypeOf(request).toEqualTypeOf<LlmRequest>()
          expectTypeOf(index).toEqualTypeOf<number>()
          return `answer ${index}`
        },
      })
      // @ts-expect-error a plain object is not an agent
      await rehearse({ instructions: '' })
      // @ts-expect-error misspelt
      await rehearse(agent, { answer: ['Hello.'] })
      // @ts-expect-error a rehearsal brings its own models
      const models: RehearsalOptions = { models: {} }
      // @ts-expect-error a rehearsal has two kinds of time
      const clock: RehearsalOptions = { clock: 'fake' }
      // @ts-expect-error an option that is not set is left out
      const patience: RehearsalOptions = { patience: undefined }
      return [models, clock, patience]
    }))

  it('records each thing that the caller does as a turn', () =>
    types(async () => {
      expectTypeOf(await rehearsal.run('Hello.', { until: 'book' })).toEqualTypeOf<Turn>()
      expectTypeOf(await rehearsal.interrupts('Stop.')).toEqualTypeOf<Turn>()
      expectTypeOf(await rehearsal.hangsUp()).toEqualTypeOf<SessionReport>()
      expectTypeOf(await rehearsal.endsWell()).toEqualTypeOf<SessionReport>()
      expectTypeOf(rehearsal.session).toEqualTypeOf<Session>()
      expectTypeOf(rehearsal.turns).toEqualTypeOf<readonly Turn[]>()
      // @ts-expect-error not a reason
      await rehearsal.close({ reason: 'banana' })
      // @ts-expect-error time is in milliseconds
      await rehearsal.waits('1 s')
    }))

  it('is made by `rehearse`, and its turns by the rehearsal', () =>
    types(() => {
      // @ts-expect-error only a type is exported
      const made = testing.Rehearsal
      // @ts-expect-error only a type is exported
      const record = testing.Turn
      // @ts-expect-error only a type is exported
      const expectation = testing.Expectation
      return [made, record, expectation]
    }))

  it('can mock tools and inject faults of known kinds', () =>
    types(() => {
      const mocks: Record<string, MockTool> = {
        slow: { returns: 7, late: 1_000 },
        broken: { throws: new Error('no') },
        stuck: 'hang',
        real: ({ day }, { signal }) => {
          expectTypeOf(day).toEqualTypeOf<unknown>()
          expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
        },
      }
      // @ts-expect-error no such mock
      const mock: MockTool = 'crash'
      const late: Fault = { late: 100, fails: true }
      // @ts-expect-error no such fault
      const fault: Fault = 'explode'
      // @ts-expect-error `fails` is true or left out
      const unfailing: Fault = { late: 100, fails: false }
      return [mocks, mock, late, fault, unfailing]
    }))
})

describe('a turn', () => {
  it('has events that are told apart by their type', () =>
    types((event = {} as TurnEvent) => {
      if (event.type === 'toolCall') expectTypeOf(event).toEqualTypeOf<TurnToolCall>()
      if (event.type === 'message') expectTypeOf(event.interrupted).toEqualTypeOf<boolean>()
      expectTypeOf(turn.events).toEqualTypeOf<readonly TurnEvent[]>()
      expectTypeOf(turn.messages).toEqualTypeOf<readonly string[]>()
      expectTypeOf(turn.latency).toEqualTypeOf<number | undefined>()
      // @ts-expect-error no such event
      if (event.type === 'tool-call') return
      // @ts-expect-error a record cannot grow
      turn.events.push(event)
    }))

  it('is checked from top to bottom, in a chain', () =>
    types(() => {
      turn.expect
        .message(/hello/i)
        .message((text) => text.length < 80)
        .toolCall('book', { day: 'Sunday' })
        .closed('agent-hung-up')
        .nothingElse()
      // @ts-expect-error not a reason
      turn.expect.closed('banana')
      // @ts-expect-error which tool is part of the expectation
      turn.expect.toolCall()
      // @ts-expect-error misspelt
      turn.expect.mesage('Hello.')
    }))
})

describe('scripted models', () => {
  it('are parts', () => {
    expectTypeOf<ScriptedLlm>().toExtend<Llm>()
    expectTypeOf<ScriptedStt>().toExtend<Stt>()
    expectTypeOf<ScriptedTts>().toExtend<Tts>()
    expectTypeOf<ScriptedVad>().toExtend<Vad>()
  })

  it('answer with text and steps', () =>
    types(() => {
      const llm = new ScriptedLlm({ answers: ['One.', ['Two ', { wait: 100 }, { stall: true }]] })
      expectTypeOf(llm.answers('Three.', [{ call: 'book' }])).toEqualTypeOf<ScriptedLlm>()
      expectTypeOf(llm.generations[0]?.how).toEqualTypeOf<
        'running' | 'completed' | 'cancelled' | 'failed' | 'left' | undefined
      >()
      // @ts-expect-error no such step
      const step: LlmStep = { sleep: 100 }
      // @ts-expect-error a model stalls or does not
      const stall: LlmStep = { stall: false }
      new ScriptedRealtime({
        answers: ({ user, results }) => `${user}: ${results[0]?.output}`,
        finalAfter: 'never',
      }).hear('Hello.')
      return [step, stall]
    }))

  it('misbehave in known ways', () =>
    types(() => {
      const stt: ScriptedSttOptions = { openTakes: 100, closeHangs: true, finalOn: 'flush' }
      // @ts-expect-error no such moment
      const final: ScriptedSttOptions = { finalOn: 'close' }
      // @ts-expect-error each step says one thing
      const script: ScriptedSttOptions = { script: [{ after: 100 }] }
      // @ts-expect-error counts are the part's own
      new ScriptedStt().counts.live = 0
      return [stt, final, script]
    }))
})

describe('simulations', () => {
  it('replace the clock, the network and randomness', () => {
    expectTypeOf<SimClock>().toExtend<Clock>()
    expectTypeOf<SimNetwork>().toExtend<Network>()
    expectTypeOf<SimRandom>().toExtend<Random>()
  })

  it('live in a world, and end with a story', () =>
    types(async () => {
      const life = await simulate(7, async ({ clock, random, network, violate }) => {
        expectTypeOf(clock).toEqualTypeOf<SimClock>()
        expectTypeOf(network).toEqualTypeOf<SimNetwork>()
        expectTypeOf(random.pick(['a', 'b'] as const)).toEqualTypeOf<'a' | 'b'>()
        expectTypeOf(random.weighted({ talk: 3, hangUp: 1 })).toEqualTypeOf<'talk' | 'hangUp'>()
        violate('SC1', 'closed twice')
        // @ts-expect-error weights are numbers
        random.weighted({ talk: '3' })
      })
      expectTypeOf(life).toEqualTypeOf<Life>()
      // @ts-expect-error read-only
      life.violations.push({ rule: 'SC1', what: '' })
      // @ts-expect-error a seed is a number
      await simulate('7', () => {})
      await inVirtualTime((world) => expectTypeOf(world).toEqualTypeOf<World>() && undefined)
    }))

  it('treat connections in known ways', () =>
    types((network = {} as SimNetwork) => {
      network.serve = ({ url }, random) =>
        random.chance(0.5) ? { connect: 'never' } : { opened: (peer) => peer.send(url) }
      // @ts-expect-error no such way
      const never: Manners = { connect: 'later' }
      // @ts-expect-error misspelt
      const misspelt: Manners = { close: 'never' }
      return [never, misspelt]
    }))

  it('pass time, and the result of what was awaited', () =>
    types(async (time = new VirtualTime()) => {
      expectTypeOf(await time.run(Promise.resolve(7))).toEqualTypeOf<number>()
      expectTypeOf(time.clock).toEqualTypeOf<SimClock>()
      expectTypeOf(noLeaks()).toEqualTypeOf<() => void>()
      new Faults(async () => {}).set('close of line', 'hang').set('open of stt', { late: 100 })
      // @ts-expect-error a wait for a condition says what it waits for
      await time.until(() => true)
    }))
})

describe('conformance checks', () => {
  it('run in Vitest, or alone', () =>
    types(async (make = () => ({}) as LlmSubject) => {
      conformance(vitest, 'my model', llmConformance, make)
      expectTypeOf(await findings(llmConformance, make)).toEqualTypeOf<Finding[]>()
      // @ts-expect-error checks of another kind of part
      conformance(vitest, 'my model', sttConformance, make)
      // @ts-expect-error what the model answers must be scriptable
      const subject: LlmSubject = { llm: new ScriptedLlm() }
      return subject
    }))

  it('can be added to, for the same kind of subject', () =>
    types(() => {
      const own = check<LlmSubject>('answers in time', async (stage, { llm }) => {
        expectTypeOf(stage).toEqualTypeOf<Stage>()
        expectTypeOf(stage.context()).toExtend<PartContext>()
        const client = await stage.soon(llm.open(stage.context()), 'the model')
        expectTypeOf(client).toEqualTypeOf<LlmClient>()
      })
      expectTypeOf(own).toEqualTypeOf<Check<LlmSubject>>()
      // @ts-expect-error a play returns why it was skipped, or nothing
      check<LlmSubject>('counts', async () => 7)
    }))
})

describe('a test line', () => {
  it('has a caller who talks, types and hangs up', () =>
    types(async (line = new TestLine({ avatar: { lag: 800 } })) => {
      await line.caller.says('Hello.')
      await line.caller.says(500)
      expectTypeOf(line.heardText).toEqualTypeOf<string>()
      expectTypeOf(line.heardKeys).toEqualTypeOf<string>()
      // @ts-expect-error a lag is needed
      const avatar = new TestLine({ avatar: {} })
      // @ts-expect-error keys are text
      line.caller.presses(5)
      return avatar
    }))
})
