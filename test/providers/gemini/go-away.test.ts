import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../../src/testing/index.ts'
import { talk } from './fixture.ts'

describe('a Gemini connection that is about to end', () => {
  it('[LK8] is closed before the next one resumes by the last handle', () =>
    inVirtualTime(async (world) => {
      const { model, server, sent, said, log, context } = await talk(world, {
        server: { answers: ['One. ', 'Two.'] },
      })
      model.respond('Count.')
      await world.clock.elapse(1_000)
      server.goAway(30_000)
      await world.clock.elapse(100)
      // The server refuses to resume with 1011 while the old connection is open.
      expect(server.sessions.map(({ connection }) => connection.open)).toEqual([false, true])
      model.respond('Go on.')
      await world.clock.elapse(1_000)
      expect(sent(1)).toEqual(['setup handle_2', 'content user: [{"text":"Go on."}], answer'])
      expect(server.transcript).toEqual(['user: Count.', 'model: One. ', 'user: Go on.', 'model: Two.'])
      expect(said()).toBe('One. Two.')
      expect(log.filter((line) => line.includes('failed'))).toEqual([])
      await context.scope.close()
      expect(context.connections).toEqual([{ name: 'gemini', how: 'closed', code: 1000, retries: 0 }])
    }))

  it("[LK8] finishes its answer, waits for the handle of the turn and keeps the caller's audio", () =>
    inVirtualTime(async (world) => {
      const { model, says, quiet, server, sent, said, log, context } = await talk(world, {
        server: { answers: ['Good morning to you. ', 'Yes.'], speed: 1, handleAfter: 500 },
      })
      model.respond()
      await world.clock.elapse(300)
      server.goAway(60_000)
      model.respond('Answer the caller.')
      await world.clock.elapse(1_000)
      expect(log).toEqual(['answer-1 begins, asked', 'answer-1 completed'])
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
      expect(log.filter((line) => line.includes('failed'))).toEqual([])
      await context.scope.close()
    }))

  it('[LK8] is left in time even during an answer, and the next one is told what was said', () =>
    inVirtualTime(async (world) => {
      const { model, server, sent, log, context } = await talk(world, {
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
      expect(log).toEqual([
        'answer-1 begins, asked',
        'answer-1 failed: gemini failed: the connection had to be replaced in the middle of an answer. Try again later, or configure a fallback',
      ])
      // There was no handle yet, so the conversation is replayed, up to the last words received.
      expect(sent(1)).toEqual([
        'setup new',
        expect.stringMatching(/^content model: \[{"text":"Good morning .*, answer$/),
      ])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 0 }])
    }))

  it('[LK8] is kept while the caller speaks', () =>
    inVirtualTime(async (world) => {
      const { says, quiet, server, log, context } = await talk(world, {
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
      expect(log).toContain('final how long are you open')
      expect(server.transcript).toEqual(['user: how long are you open', 'model: Until six.'])
      await context.scope.close()
    }))

  it('[LK8] is replaced every ten minutes of a long call', () =>
    inVirtualTime(async (world) => {
      const { model, server, log, context } = await talk(world, { server: { answers: () => 'Yes.' } })
      for (let minute = 0; minute < 60; minute++) {
        model.respond()
        await world.clock.elapse(60_000)
      }
      expect(server.sessions.length).toBeGreaterThan(5)
      expect(server.open).toHaveLength(1)
      expect(log.filter((line) => line.endsWith('completed'))).toHaveLength(60)
      expect(server.transcript).toHaveLength(120)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'closed', retries: 0 }])
    }))

  it('keeps its handle when an update has no new one', () =>
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

  it('counts as expired after goAway, whatever its close code', () =>
    inVirtualTime(async (world) => {
      const { model, server, log, context } = await talk(world, {
        server: {
          answers: [['Well', { wait: 6_000 }, ' hm', { wait: 6_000 }, ' hm', { stall: true }], 'Yes.'],
        },
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
      expect(log.slice(-2)).toEqual(['answer-2 begins, asked', 'answer-2 completed'])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ retries: 0 }])
    }))
})
