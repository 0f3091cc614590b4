import { describe, expect, it } from 'vitest'
import { GeminiLive } from '../../src/providers/gemini/index.ts'
import { ScopeClosedError } from '../../src/scope/index.ts'
import { RealtimeRecorder } from '../../src/testing/conformance/realtime-recorder.ts'
import { callTool, inVirtualTime, partContext } from '../../src/testing/index.ts'
import { GeminiLiveServer } from '../../src/testing/servers/index.ts'
import { KEY, talk } from './gemini-fixture.ts'

const find = { name: 'find', description: 'Finds a slot', parameters: { type: 'object', properties: {} } }
const billing = { instructions: 'You do the bills.', tools: [] }

describe('a connection to Gemini that is about to end', () => {
  it('[LK8] is closed first, and the next one resumes by the last handle', () =>
    inVirtualTime(async (world) => {
      const { model, server, sent, said, told, context } = await talk(world, {
        server: { answers: ['One. ', 'Two.'] },
      })
      model.respond('Count.')
      await world.clock.elapse(1_000)
      server.goAway(30_000)
      await world.clock.elapse(100)
      // It would have been refused with 1011, had the old one been open.
      expect(server.sessions.map(({ connection }) => connection.open)).toEqual([false, true])
      model.respond('Go on.')
      await world.clock.elapse(1_000)
      expect(sent(1)).toEqual(['setup handle_2', 'content user: [{"text":"Go on."}], answer'])
      expect(server.transcript).toEqual(['user: Count.', 'model: One. ', 'user: Go on.', 'model: Two.'])
      expect(said()).toBe('One. Two.')
      expect(told.filter((line) => line.includes('failed'))).toEqual([])
      await context.scope.close()
      expect(context.connections).toEqual([{ name: 'gemini', how: 'closed', code: 1000, retries: 0 }])
    }))

  it('[LK8] lets an answer finish, waits for the handle of its turn, and keeps the sound of the caller', () =>
    inVirtualTime(async (world) => {
      const { model, says, quiet, server, sent, said, told, context } = await talk(world, {
        server: { answers: ['Good morning to you. ', 'Yes.'], speed: 1, handleAfter: 500 },
      })
      model.respond()
      await world.clock.elapse(300)
      server.goAway(60_000)
      model.respond('Answer the caller.')
      await world.clock.elapse(1_000)
      expect(told).toEqual(['answer-1 begins, asked', 'answer-1 completed'])
      expect(server.sessions).toHaveLength(1)
      server.manners.connect = 300
      await world.clock.elapse(400)
      // Between two connections.
      says('still there?')
      quiet(600)
      await world.clock.elapse(4_000)
      expect(sent(1)[0]).toBe('setup handle_2')
      expect(said()).toContain('Good morning to you.')
      expect(server.transcript).toContain('user: still there?')
      expect(told.filter((line) => line.includes('failed'))).toEqual([])
      await context.scope.close()
    }))

  it('[LK8] is given up in time also in the middle of an answer, of which the next one is told', () =>
    inVirtualTime(async (world) => {
      const { model, server, sent, told, context } = await talk(world, {
        server: {
          answers: ['Good morning to you and to all of yours, and welcome.'],
          speed: 1,
          manners: { closeReply: 300 },
        },
      })
      model.respond()
      await world.clock.elapse(100)
      server.goAway(2_500)
      await world.clock.elapse(1_000)
      expect(told).toEqual([
        'answer-1 begins, asked',
        'answer-1 failed: gemini failed: its time was up in the middle of an answer. Try again later, or have another to fall back on',
      ])
      // It had no handle yet: what was said is replayed, up to the words that came.
      expect(sent(1)).toEqual([
        'setup anew',
        expect.stringMatching(/^content model: \[{"text":"Good morning .*, wait$/),
      ])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 0 }])
    }))

  it('[LK8] is not left while the caller speaks', () =>
    inVirtualTime(async (world) => {
      const { says, quiet, server, told, context } = await talk(world, {
        server: { answers: ['Until six.'] },
      })
      says('how long are ')
      await world.clock.elapse(10)
      server.goAway(30_000)
      await world.clock.elapse(1_000)
      expect(server.sessions).toHaveLength(1)
      says('you open')
      quiet(600)
      await world.clock.elapse(2_000)
      expect(server.sessions).toHaveLength(2)
      expect(told).toContain('final how long are you open')
      expect(server.transcript).toEqual(['user: how long are you open', 'model: Until six.'])
      await context.scope.close()
    }))

  it('[LK8] is rolled over every ten minutes of a long call', () =>
    inVirtualTime(async (world) => {
      const { model, server, told, context } = await talk(world, { server: { answers: () => 'Yes.' } })
      for (let minute = 0; minute < 60; minute++) {
        model.respond()
        await world.clock.elapse(60_000)
      }
      expect(server.sessions.length).toBeGreaterThan(5)
      expect(server.open).toHaveLength(1)
      expect(told.filter((line) => line.endsWith('completed'))).toHaveLength(60)
      expect(server.transcript).toHaveLength(60)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 0 }])
    }))

  it('keeps the old handle while the service has none', () =>
    inVirtualTime(async (world) => {
      const { server, sent, context } = await talk(world)
      server.offerHandle()
      await world.clock.elapse(10)
      server.offerHandle(false)
      await world.clock.elapse(10)
      server.goAway(10_000)
      await world.clock.elapse(100)
      expect(sent(1)).toEqual(['setup handle_2'])
      await context.scope.close()
    }))

  it('is over as announced, however it ends then', () =>
    inVirtualTime(async (world) => {
      const { model, server, told, context } = await talk(world, {
        server: { answers: [['Well', { stall: true }], 'Yes.'] },
      })
      server.offerHandle()
      model.respond()
      await world.clock.elapse(15_000)
      server.goAway(50_000)
      await world.clock.elapse(10)
      server.close(1008, 'The operation was aborted.')
      await world.clock.elapse(100)
      model.respond()
      await world.clock.elapse(1_000)
      expect(told.slice(-2)).toEqual(['answer-2 begins, asked', 'answer-2 completed'])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ retries: 0 }])
    }))
})

describe('a connection to Gemini that breaks', () => {
  it('[LK2] is resumed by its handle: what was only asked for is asked again, what had begun has failed', () =>
    inVirtualTime(async (world) => {
      const { model, server, sent, told, context } = await talk(world, {
        server: { answers: ['One.', ['Two', { stall: true }], 'Three.'] },
      })
      model.respond('One')
      await world.clock.elapse(1_000)
      model.respond('Two')
      await world.clock.elapse(1_000)
      model.respond('Three')
      server.drop()
      await world.clock.elapse(2_000)
      expect(told.slice(2)).toEqual([
        'answer-2 begins, asked',
        expect.stringContaining(
          'answer-2 failed: gemini failed: the connection broke in the middle of an answer',
        ),
        'answer-3 begins, asked',
        'answer-3 completed',
      ])
      expect(sent(1)).toEqual([
        'setup handle_2',
        'content user: [{"text":"Two"}], model: [{"text":"Two"}], wait',
        'content user: [{"text":"Three"}], answer',
      ])
      expect(server.transcript).toEqual([
        'user: One',
        'model: One.',
        'user: Two',
        'model: Two',
        'user: Three',
        'model: Three.',
      ])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 1 }])
    }))

  it('[LK2] is resumed with the words that nobody has answered, and they are', () =>
    inVirtualTime(async (world) => {
      const { says, server, sent, said, told, context } = await talk(world, {
        server: { answers: ['Until six.'] },
      })
      server.offerHandle()
      says('how long are you ')
      await world.clock.elapse(100)
      server.drop()
      await world.clock.elapse(2_000)
      expect(sent(1)).toEqual(['setup handle_2', 'content user: [{"text":"how long are you"}], answer'])
      expect(said()).toBe('Until six.')
      expect(told.filter((line) => line.startsWith('final'))).toEqual(['final how long are you'])
      await context.scope.close()
    }))

  it('[LK2] has calls of which the next one knows nothing: it is told them with their results', () =>
    inVirtualTime(async (world) => {
      const { model, server, told, context } = await talk(world, {
        setup: { tools: [find] },
        server: { answers: [[callTool('find', { day: 1 })], 'At nine.'] },
      })
      server.offerHandle()
      model.respond()
      await world.clock.elapse(100)
      server.drop()
      await world.clock.elapse(1_000)
      model.toolResult('call-1', 'nine', false)
      model.respond()
      await world.clock.elapse(2_000)
      expect(server.transcript).toEqual([
        'model: find({"day":1})',
        'user: {"output":"nine"}',
        'model: At nine.',
      ])
      expect(told.slice(-2)).toEqual(['answer-2 begins, asked', 'answer-2 completed'])
      await context.scope.close()
    }))

  it('[LK2] is resumed in the middle of a turn that is taken by hand', () =>
    inVirtualTime(async (world) => {
      const { model, says, server, sent, context } = await talk(world, {
        setup: { takesTurns: false },
        server: { answers: ['Until six.'] },
      })
      server.offerHandle()
      says('how long ')
      await world.clock.elapse(10)
      server.drop()
      await world.clock.elapse(1_000)
      says('are you open')
      model.commit()
      model.respond()
      await world.clock.elapse(2_000)
      expect(sent(1)).toEqual([
        'setup handle_2',
        'content user: [{"text":"how long"}], wait',
        'activityStart',
        'activityEnd',
      ])
      expect(server.transcript).toEqual(['user: how long', 'user: are you open', 'model: Until six.'])
      await context.scope.close()
    }))

  it('[LK2] goes on where there is no handle yet: the next connection is told what was said, in words', () =>
    inVirtualTime(async (world) => {
      const { model, says, server, sent, said, told, context } = await talk(world, {
        server: { answers: [['Well', { stall: true }], 'Until six.'] },
      })
      model.respond()
      says('how long are you ')
      await world.clock.elapse(10)
      server.drop()
      await world.clock.elapse(5_000)
      expect(world.network.dials).toBe(2)
      expect(sent(1)[0]).toBe('setup anew')
      expect(sent(1)[1]).toContain('how long are you')
      expect(said()).toContain('Until six.')
      expect(told.filter((line) => line.startsWith('failed'))).toEqual([])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 1 }])
    }))

  it.each<[end: string, code: number, reason: string, dials: number, retries: number]>([
    ['is expired', 1011, 'Deadline expired before operation could complete.', 2, 0],
    ['is dropped', 1011, 'Internal error encountered.', 2, 1],
    ['is dropped', 1000, '', 2, 1],
    ['is refused for now', 1011, 'You exceeded your current quota, please check your plan.', 2, 1],
    ['is fatal', 1007, 'Request contains an invalid argument.', 1, 0],
    ['is fatal', 1008, 'models/x is not found', 1, 0],
  ])('[LK2] %s: %i %s', (_, code, reason, dials, retries) =>
    inVirtualTime(async (world) => {
      const { server, told, context } = await talk(world)
      server.offerHandle()
      await world.clock.elapse(20_000)
      server.close(code, reason)
      await world.clock.elapse(5_000)
      expect(world.network.dials).toBe(dials)
      expect(told.filter((line) => line.startsWith('failed'))).toHaveLength(dials === 1 ? 1 : 0)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ retries }])
    }),
  )

  it('fails when the service has forgotten its handle', () =>
    inVirtualTime(async (world) => {
      const { server, told, context } = await talk(world)
      server.offerHandle()
      await world.clock.elapse(10)
      server.forgetHandles()
      server.drop()
      await world.clock.elapse(5_000)
      expect(told).toEqual([expect.stringContaining('closed with 1008')])
      await context.scope.close()
    }))

  it('is no reason to give up when a message is no JSON', () =>
    inVirtualTime(async (world) => {
      const { server, told, context } = await talk(world)
      server.offerHandle()
      await world.clock.elapse(10)
      server.open[0]!.connection.send('{ this is no JSON')
      await world.clock.elapse(2_000)
      expect(server.open).toHaveLength(1)
      expect(server.sessions).toHaveLength(2)
      expect(told).toEqual([])
      await context.scope.close()
    }))
})

describe('another agent on Gemini', () => {
  it('[LK8] gets a connection of its own, which is no failure, and the conversation', () =>
    inVirtualTime(async (world) => {
      const { model, server, sent, said, context } = await talk(world, {
        server: { answers: ['Hello. ', 'Billing here.'] },
      })
      model.respond()
      await world.clock.elapse(1_000)
      model.update(billing)
      model.respond()
      await world.clock.elapse(1_000)
      expect(server.sessions.map(({ setup }) => setup?.systemInstruction)).toEqual([
        { parts: [{ text: 'Be brief.' }] },
        { parts: [{ text: 'You do the bills.' }] },
      ])
      expect(sent(1)).toEqual(['setup handle_2', 'content answer'])
      expect(said()).toBe('Hello. Billing here.')
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 0 }])
    }))

  it('[LK8] waits for what is being said, and not for ever', () =>
    inVirtualTime(async (world) => {
      const { model, server, told, said, context } = await talk(world, {
        server: { answers: ['Good morning to you. ', ['Well ', { stall: true }], 'Billing here.'], speed: 1 },
      })
      model.respond()
      await world.clock.elapse(300)
      model.update(billing)
      model.respond()
      await world.clock.elapse(600)
      expect(server.sessions).toHaveLength(1)
      await world.clock.elapse(1_000)
      expect(server.sessions).toHaveLength(2)
      expect(told).toEqual(['answer-1 begins, asked', 'answer-1 completed', 'answer-2 begins, asked'])
      model.update({ ...billing, instructions: 'You do the taxes.' })
      model.respond()
      await world.clock.elapse(6_000)
      expect(server.sessions).toHaveLength(3)
      expect(said()).toBe('Good morning to you. Well Billing here.')
      expect(told.slice(-2)).toEqual(['answer-3 begins, asked', 'answer-3 completed'])
      await context.scope.close()
    }))

  it('is told of the tool that called it, by a service that has made no handle yet', () =>
    inVirtualTime(async (world) => {
      const { model, says, quiet, server, sent, context } = await talk(world, {
        setup: { tools: [{ ...find, name: 'transfer' }] },
        server: { answers: [[callTool('transfer')], 'Billing here.'] },
      })
      says('billing please')
      quiet(600)
      await world.clock.elapse(100)
      model.toolResult('call-1', 'handed over to billing', false)
      model.update(billing)
      model.respond()
      await world.clock.elapse(2_000)
      expect(sent(0)).toEqual(['setup anew'])
      expect(server.transcript).toEqual([
        'user: billing please',
        'model: transfer({})',
        'user: {"output":"handed over to billing"}',
        'model: Billing here.',
      ])
      await context.scope.close()
    }))

  it.each([0, 1, 2, 3, 4, 5, 6, 7])('takes over also while the connection changes, after %i ms', (after) =>
    inVirtualTime(async (world) => {
      const { model, server, told, context } = await talk(world, { server: { answers: ['Taxes here.'] } })
      model.update(billing)
      await world.clock.elapse(after)
      model.update({ ...billing, instructions: 'You do the taxes.' })
      model.respond()
      // Links do not move twice in a second.
      await world.clock.elapse(3_000)
      expect(told).toEqual(['answer-1 begins, asked', 'answer-1 completed'])
      expect(server.open.map(({ setup }) => setup?.systemInstruction)).toEqual([
        { parts: [{ text: 'You do the taxes.' }] },
      ])
      await context.scope.close()
    }),
  )

  it('is asked again when the service refuses the next connection for a while', () =>
    inVirtualTime(async (world) => {
      const { model, server, told, context } = await talk(world, { server: { answers: ['Billing here.'] } })
      server.manners.refuse = 503
      model.update(billing)
      model.respond()
      await world.clock.elapse(100)
      delete server.manners.refuse
      await world.clock.elapse(5_000)
      expect(told).toEqual(['answer-1 begins, asked', 'answer-1 completed'])
      await context.scope.close()
    }))
})

describe('the end of a conversation with Gemini', () => {
  const phases: [
    string,
    (of: Awaited<ReturnType<typeof talk>>, pass: (ms: number) => Promise<void>) => Promise<void>,
  ][] = [
    ['idle', () => Promise.resolve()],
    [
      'speaking',
      async ({ model }, pass) => {
        model.respond()
        await pass(200)
      },
    ],
    [
      'rolling over',
      async ({ model }) => {
        model.update(billing)
      },
    ],
    [
      'rolling over, connecting',
      async ({ model }, pass) => {
        model.update(billing)
        await pass(2)
      },
    ],
    [
      'rolling over, setting up',
      async ({ model, server }, pass) => {
        server.ignoresSetup = true
        model.update(billing)
        await pass(10)
      },
    ],
    [
      'backing off',
      async ({ server }, pass) => {
        server.offerHandle()
        await pass(10)
        server.manners.refuse = 503
        server.drop()
        await pass(5)
      },
    ],
    [
      'going away',
      async ({ model, server }, pass) => {
        model.respond()
        await pass(200)
        server.goAway(10_000)
        await pass(10)
      },
    ],
  ]

  it.each(phases)('[LK9] is the end of its socket, and nothing is dialled or told after it: %s', (_, bring) =>
    inVirtualTime(async (world) => {
      const of = await talk(world, { server: { answers: ['Good morning to you and yours.'], speed: 1 } })
      await bring(of, (ms) => world.clock.elapse(ms))
      const { server, context, told, model } = of
      const closing = context.scope.close()
      const before = [...told]
      const { dials } = world.network
      const sent = server.sessions.map(({ received }) => received.length)
      const report = await closing
      expect(report.took).toBeLessThan(3_000)
      await world.clock.elapse(1)
      expect(server.open).toEqual([])
      expect(world.network.sockets.list()).toEqual([])
      model.respond()
      model.update(billing)
      await world.clock.elapse(60_000)
      expect(world.network.dials).toBe(dials)
      expect(told).toEqual(before)
      expect(server.sessions.map(({ received }) => received.length)).toEqual(sent)
    }),
  )

  it.each([
    ['connecting', 1],
    ['setting up', 400],
  ])('[LK9] comes also before it has begun: %s', (_, after) =>
    inVirtualTime(async (world) => {
      const server = new GeminiLiveServer({ clock: world.clock, manners: { connect: 200 } })
      server.ignoresSetup = true
      world.network.serve = server.serve
      const context = partContext(world)
      const setup = { instructions: '', tools: [], messages: [], takesTurns: true }
      const opening = new GeminiLive({ apiKey: KEY }).open(context, setup, new RealtimeRecorder())
      const failed = expect(opening).rejects.toThrow(ScopeClosedError)
      await world.clock.elapse(after)
      await context.scope.close()
      await failed
      await world.clock.elapse(60_000)
      expect(server.open).toEqual([])
      expect(world.network.sockets.list()).toEqual([])
      expect(world.network.dials).toBe(1)
    }),
  )

  it('[LK9] waits for the last words of the user, and for nothing else', () =>
    inVirtualTime(async (world) => {
      const { model, says, server, told, context } = await talk(world, { server: { answers: ['Bye.'] } })
      says('thank you')
      await world.clock.elapse(10)
      context.scope.defer('later', () => world.clock.elapse(500), { phase: 'tasks' })
      model.commit()
      const report = await context.scope.close()
      expect(report.clean).toBe(true)
      expect(told).toEqual([
        'user started',
        'interim thank ',
        'interim thank you',
        'user stopped',
        'final thank you',
      ])
      expect(server.open).toEqual([])
    }))

  it('[LK6] comes in time also if the service ignores the close frame', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await talk(world, { server: { ignoresClose: true } })
      const report = await context.scope.close()
      await world.clock.elapse(1)
      expect(report.took).toBeLessThan(2_000)
      expect(context.connections).toMatchObject([{ how: 'aborted' }])
      expect(server.open).toEqual([])
    }))
})
