import { pcm } from '../../../src/audio/index.ts'
import { describe, expect, it } from 'vitest'
import { GeminiLive } from '../../../src/providers/gemini/index.ts'
import { ScopeClosedError } from '../../../src/scope/index.ts'
import { RealtimeRecorder } from '../../../src/testing/conformance/realtime-recorder.ts'
import { inVirtualTime, partContext } from '../../../src/testing/index.ts'
import { GeminiLiveServer } from '../../../src/testing/servers/index.ts'
import { OLDER, billing, KEY, talk, type Talk } from './fixture.ts'

describe('closing a Gemini conversation', () => {
  const phases: [string, (conversation: Talk, pass: (ms: number) => Promise<void>) => Promise<void>][] = [
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

  it.each(phases)('[LK9] while %s closes its socket, and nothing is dialled or emitted later', (_, bring) =>
    inVirtualTime(async (world) => {
      const conversation = await talk(world, {
        options: OLDER,
        server: { answers: ['Good morning to you and yours.'], speed: 1 },
      })
      await bring(conversation, (ms) => world.clock.elapse(ms))
      const { server, context, log, model } = conversation
      const closing = context.scope.close()
      const before = [...log]
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
      expect(log).toEqual(before)
      expect(server.sessions.map(({ received }) => received.length)).toEqual(sent)
    }),
  )

  it.each([
    ['connecting', 1],
    ['setting up', 400],
  ])('[LK9] while its first connection is %s closes the socket', (_, after) =>
    inVirtualTime(async (world) => {
      const server = new GeminiLiveServer({ clock: world.clock, manners: { connect: 200 } })
      server.ignoresSetup = true
      world.network.serve = server.serve
      const context = partContext(world)
      const setup = {
        hears: pcm(16_000),
        speaks: pcm(24_000),
        instructions: '',
        tools: [],
        messages: [],
        takesTurns: true,
      }
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

  it("[LK9] still transcribes the user's last words, and emits nothing else", () =>
    inVirtualTime(async (world) => {
      const { model, says, server, log, context } = await talk(world, { server: { answers: ['Bye.'] } })
      says('thank you')
      await world.clock.elapse(10)
      context.scope.defer('later', () => world.clock.elapse(500), { phase: 'tasks' })
      model.commit()
      const report = await context.scope.close()
      expect(report.clean).toBe(true)
      expect(log).toEqual([
        'user started',
        'interim thank ',
        'interim thank you',
        'user stopped',
        'final thank you',
      ])
      expect(server.open).toEqual([])
    }))

  it('[LK6] finishes on time although the service ignores the close frame', () =>
    inVirtualTime(async (world) => {
      const { server, context } = await talk(world, { server: { ignoresClose: true } })
      const report = await context.scope.close()
      await world.clock.elapse(1)
      expect(report.took).toBeLessThan(2_000)
      expect(context.connections).toMatchObject([{ how: 'aborted' }])
      expect(server.open).toEqual([])
    }))
})
