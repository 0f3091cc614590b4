import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { conformance, inVirtualTime, sttConformance, type World } from '../../../src/testing/index.ts'
import type { TurnServerOptions } from '../../../src/testing/servers/index.ts'
import { listen, type Listening } from './listening.ts'
import { KEY, turnSubjects, type TurnOptions, type TurnSubject } from './subjects.ts'

describe.each(turnSubjects.map((subject) => [subject.name, subject] as const))('%s', (_name, subject) => {
  conformance(
    { describe, it },
    `${subject.name} on a simulated network`,
    sttConformance,
    ({ clock, network }) => {
      const server = subject.server({ clock })
      network!.serve = server.serve
      return {
        stt: subject.stt(),
        hear: (text) => server.hear(text),
        refuses: () => {
          server.manners.refuse = 401
        },
        breaks: () => {
          server.manners.refuse = 401
          server.drop()
        },
      }
    },
  )

  const open = async (
    world: World,
    manners: TurnServerOptions = {},
    options: TurnOptions = {},
  ): Promise<Listening & { server: ReturnType<TurnSubject['server']> }> => {
    const server = subject.server({ clock: world.clock, ...manners })
    return { server, ...(await listen(world, server, subject.stt(options))) }
  }

  /** A final as this vendor writes it. */
  const finals = (log: readonly string[]): string[] =>
    log.filter((each) => each.startsWith('final ')).map((each) => each.slice(6))

  afterEach(() => vi.unstubAllEnvs())

  it('needs a key', () => {
    vi.stubEnv(subject.variable, '')
    expect(() => subject.stt({ apiKey: '' })).toThrow(subject.variable)
  })

  it('never shows the key', () =>
    inVirtualTime(async (world) => {
      const { stream, context } = await open(world)
      for (const thing of [subject.stt(), stream, context.scope.inspect().tree]) {
        expect(inspect(thing, { depth: 9, showHidden: true })).not.toContain(KEY)
        expect(JSON.stringify(thing)).not.toContain(KEY)
      }
      await context.scope.close()
      const refused = await open(world, {}, { apiKey: `${KEY}-wrong` }).catch((error: unknown) => error)
      expect(refused).toMatchObject({ code: 'LINK_REFUSED', end: { status: 401 } })
      expect(inspect(refused, { depth: 9, showHidden: true })).not.toContain(KEY)
    }))

  it('emits the text of a turn as it grows, and its end once', () =>
    inVirtualTime(async (world) => {
      const { log, say, quiet, details, context, charged } = await open(world)
      say('Good ')
      say('morning.')
      await world.clock.elapse(10)
      quiet(1_000)
      await world.clock.elapse(10)
      const plain = log.filter((each) => each !== 'started' && !each.startsWith('maybe'))
      expect(plain.at(0)).toMatch(/^interim g/i)
      expect(plain.slice(-2)).toEqual(['final Good morning.', 'end of turn'])
      expect(finals(log)).toEqual(['Good morning.'])
      if (subject.hasWords) {
        expect(details[0]?.words?.map(({ text }) => text)).toEqual(['Good', 'morning.'])
        expect(details[0]?.confidence).toBeCloseTo(0.9)
      }
      expect(charged()).toBeCloseTo(1.65, 1)
      await context.scope.close()
    }))

  it(`${subject.isEager ? 'emits' : 'never emits'} that a turn may have ended`, () =>
    inVirtualTime(async (world) => {
      const { log, say, quiet, context } = await open(world)
      say('One ')
      quiet(200)
      await world.clock.elapse(10)
      say('two ')
      quiet(200)
      await world.clock.elapse(10)
      quiet(500)
      await world.clock.elapse(10)
      const ends = log.filter((each) => !each.startsWith('interim') && each !== 'started')
      const maybe = 'maybe end of turn'
      const guesses = subject.isEager ? [maybe, 'resumed', maybe] : []
      expect(ends).toEqual([...guesses, 'final One two', 'end of turn'])
      await context.scope.close()
    }))

  it('emits no ends of turns without `endsTurns`', () =>
    inVirtualTime(async (world) => {
      const { log, say, quiet, context } = await open(world, {}, { endsTurns: false })
      say('Yes. ')
      quiet(200)
      await world.clock.elapse(10)
      quiet(800)
      await world.clock.elapse(10)
      expect(finals(log)).toEqual(['Yes.'])
      expect(log.filter((each) => each.includes('end of turn') || each === 'resumed')).toEqual([])
      await context.scope.close()
    }))

  it('emits an end of turn once although the service repeats it', () =>
    inVirtualTime(async (world) => {
      const { log, say, quiet, context } = await open(world, { rude: ['repeats itself'] })
      say('Yes. ')
      quiet(1_000)
      await world.clock.elapse(10)
      say('No. ')
      quiet(1_000)
      await world.clock.elapse(10)
      expect(finals(log)).toEqual(['Yes.', 'No.'])
      expect(log.filter((each) => each === 'end of turn')).toHaveLength(2)
      await context.scope.close()
    }))

  it('sends silence when the line is silent, so that a turn ends', () =>
    inVirtualTime(async (world) => {
      const { log, say, context } = await open(world)
      say('Yes. ')
      await world.clock.elapse(5_000)
      expect(finals(log)).toEqual(['Yes.'])
      expect(log.at(-1)).toBe('end of turn')
      await context.scope.close()
    }))

  it('emits the last words before the end of its connection', () =>
    inVirtualTime(async (world) => {
      const { log, say, server, context } = await open(world, { thinks: 500 })
      await world.clock.elapse(1_000)
      say('Goodbye.')
      const report = await context.scope.close()
      expect(finals(log)).toEqual(['Goodbye.'])
      expect(server.sessions[0]?.controls.at(-1)).toEqual({ type: subject.end.type })
      expect(context.connections).toMatchObject([{ name: subject.link, how: subject.end.how, code: 1000 }])
      expect(report.clean).toBe(true)
    }))

  it('makes the last words final although the service does not', () =>
    inVirtualTime(async (world) => {
      const { log, say, context } = await open(world, { rude: ['unfinished'] })
      say('Goodbye. ')
      await world.clock.elapse(100)
      await context.scope.close()
      expect(finals(log).map((each) => each.toLowerCase().replace('.', ''))).toEqual(['goodbye'])
    }))

  it('emits nothing that comes after the end', () =>
    inVirtualTime(async (world) => {
      const { log, say, stream, server, context } = await open(world, { rude: ['talks on'] })
      say('Goodbye. ')
      await world.clock.elapse(10)
      stream.detach()
      say('and another thing')
      stream.flush()
      stream.configure({ keyTerms: ['late'] })
      await world.clock.elapse(3_000)
      if (subject.end.how === 'acknowledged') expect(finals(log)).toEqual(['Goodbye.'])
      expect(log.filter((each) => each.includes('failed'))).toEqual([])
      expect(server.open).toEqual([])
      await context.scope.close()
      expect(world.network.dials).toBe(1)
    }))

  it.each<[what: string, manners: TurnServerOptions, how: string]>([
    ['the end message', { rude: ['ignores the end'] }, 'closed'],
    ['the close frame', { ignoresClose: true, rude: ['ignores the end'] }, 'aborted'],
  ])('closes on time although the server ignores %s', (_, manners, how) =>
    inVirtualTime(async (world) => {
      const { context } = await open(world, manners)
      const report = await context.scope.close()
      expect(report.took).toBeLessThanOrEqual(4_000)
      expect(context.connections).toMatchObject([{ how }])
      expect(world.network.sockets.list()).toEqual([])
    }),
  )

  it('continues after a drop: interim words become final, and the turn ends with the next words', () =>
    inVirtualTime(async (world) => {
      const { log, details, say, quiet, server, context } = await open(world)
      // Whole messages, so that no sound is divided between the connections.
      say('One one ')
      quiet(1_200)
      await world.clock.elapse(10)
      say('Two two ')
      await world.clock.elapse(50)
      server.drop()
      say('Three. ')
      quiet(1_000)
      await world.clock.elapse(1_500)
      expect(finals(log).map((each) => each.toLowerCase().replace('.', ''))).toEqual([
        'one one',
        'two two',
        'three',
      ])
      expect(log.filter((each) => each === 'end of turn')).toHaveLength(2)
      expect(server.sessions).toHaveLength(2)
      // Times count from the start of the stream.
      if (subject.hasWords) expect(details.at(-1)?.words?.[0]?.start).toBeGreaterThan(1_400)
      await world.clock.elapse(5_000)
      expect(log.filter((each) => each === 'end of turn')).toHaveLength(2)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: subject.end.how, retries: 1 }])
    }))

  it('ends a turn that a drop interrupted although the caller says no more', () =>
    inVirtualTime(async (world) => {
      const { log, say, server, context } = await open(world)
      // Whole messages, so that the next connection hears nothing of it.
      say('Yes yes ')
      await world.clock.elapse(50)
      server.drop()
      await world.clock.elapse(5_000)
      const ends = log.filter((each) => /final|end of turn/.test(each))
      expect(ends.slice(-2)).toEqual([expect.stringMatching(/^final yes yes$/i), 'end of turn'])
      await context.scope.close()
    }))

  it('buffers the last 5 s of audio while it has no connection', () =>
    inVirtualTime(async (world) => {
      const { quiet, server, context } = await open(world)
      server.manners.connect = 3_000
      server.drop()
      for (let ms = 0; ms < 60_000; ms += 20) quiet(20)
      await world.clock.elapse(3_500)
      const audio = server.sessions.at(-1)?.audio ?? 0
      expect(audio).toBeGreaterThanOrEqual(4_900)
      expect(audio).toBeLessThanOrEqual(5_600)
      await context.scope.close()
    }))

  it('[PR1] reconnects when the service sends a malformed message, and ignores it while it closes', () =>
    inVirtualTime(async (world) => {
      const { log, server, say, context } = await open(world)
      for (const message of subject.malformed) {
        const before = server.sessions.length
        server.open[0]!.connection.send(JSON.stringify(message))
        await world.clock.elapse(20_000)
        expect(server.sessions, inspect(message)).toHaveLength(before + 1)
      }
      expect(log).toEqual([])
      say('Goodbye.')
      const closing = context.scope.close()
      server.open[0]!.connection.send(JSON.stringify(subject.malformed[0]))
      expect((await closing).clean).toBe(true)
      expect(finals(log)).toEqual(['Goodbye.'])
    }))

  it('fails once its retries are used up when the server only sends garbage', () =>
    inVirtualTime(async (world) => {
      const { log, say, context } = await open(world, { rude: ['garbles'] })
      for (let turn = 0; turn < 60 && log.length === 0; turn++) {
        say('Hello? ')
        await world.clock.elapse(1_000)
      }
      expect(log).toHaveLength(1)
      expect(log[0]).toContain('LINK_FAILED')
      await context.scope.close()
    }))

  it('stays connected through ten minutes of silence', () =>
    inVirtualTime(async (world) => {
      const { log, context } = await open(world)
      await world.clock.elapse(10 * 60_000)
      expect(world.network.dials).toBe(1)
      expect(log).toEqual([])
      await context.scope.close()
    }))
})
