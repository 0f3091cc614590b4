import { describe, expect, it } from 'vitest'
import type { LineConnection } from '../../src/parts/index.ts'
import { Scope, type Clock } from '../../src/scope/index.ts'
import { silence } from '../../src/audio/index.ts'
import { inVirtualTime, partContext, type TestPartContext, type World } from '../../src/testing/index.ts'
import { outsideTimer } from '../../src/testing/outside-timer.ts'
import { ToyCall, ToyCalls, ToyPeer, type ToyOptions } from './toy-line.ts'

interface Scene extends World {
  readonly calls: ToyCalls
  readonly call: ToyCall
  readonly peer: ToyPeer
  readonly context: TestPartContext
  /** What the line emitted. */
  readonly emitted: string[]
  readonly warnings: string[]
  /** Answers the call. Rejects if that fails. */
  readonly answer: () => Promise<LineConnection>
}

const passes = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    outsideTimer(clock, ms, 'time passes', resolve)
  })

interface SceneOptions extends ToyOptions {
  /** Whether the call comes with its peer. Default: yes. */
  readonly joined?: boolean
  readonly polite?: boolean
  /** Whether the session wants to know that the caller is away. Default: no. */
  readonly reportsAway?: boolean
}

/** A call that rings. Everything is closed at the end of the scene. */
function scene(play: (scene: Scene) => Promise<void>, options: SceneOptions = {}): Promise<void> {
  const { joined = true, polite = true, reportsAway = false, ...callOptions } = options
  return inVirtualTime(async (world) => {
    const scope = new Scope<string>('calls', { clock: world.clock, phases: ['tasks', 'resources'] })
    const calls = new ToyCalls({ scope })
    const peer = new ToyPeer({ polite })
    const warnings: string[] = []
    const warn = (_: object, message: string): void => void warnings.push(message)
    const context = partContext(world, { logger: { debug() {}, info() {}, warn, error() {} } })
    const emitted: string[] = []
    let answer: Scene['answer'] | undefined
    const call = calls.call('one', {
      ...(joined ? { peer } : {}),
      options: callOptions,
      onCall: (line) => {
        answer = () =>
          line.open(context, {
            frame: () => emitted.push('frame'),
            marked: (id, heard) => emitted.push(`marked ${id} ${heard}`),
            dtmf: () => emitted.push('dtmf'),
            text: (text) => emitted.push(`text ${text}`),
            ...(reportsAway ? { away: () => emitted.push('away'), back: () => emitted.push('back') } : {}),
            hungUp: () => emitted.push('hung up'),
            lost: (error) => emitted.push(error === undefined ? 'lost' : `lost ${(error as Error).message}`),
            handedOver: () => emitted.push('handed over'),
          })
      },
    })
    if (!(call instanceof ToyCall) || !answer) throw new Error('the call was refused')
    try {
      await play({ ...world, calls, call, peer, context, emitted, warnings, answer })
    } finally {
      await context.scope.close()
      peer.leaves()
      await scope.close()
    }
  })
}

describe('a call that rings', () => {
  it('ends when no session answers within answerTimeout', () =>
    scene(
      async ({ clock, calls, peer, answer }) => {
        await clock.elapse(999)
        expect(calls.size).toBe(1)
        await clock.elapse(2)
        expect(calls.size).toBe(0)
        expect(peer.received).toEqual(['bye unanswered'])
        await expect(answer()).rejects.toMatchObject({ code: 'CALLER_GONE' })
      },
      { answerTimeout: 1_000 },
    ))

  it('ends when its peer leaves, and cannot be answered later', () =>
    scene(async ({ calls, peer, answer, emitted }) => {
      peer.leaves()
      expect(calls.size).toBe(0)
      await expect(answer()).rejects.toMatchObject({ code: 'CALLER_GONE' })
      expect(emitted).toEqual([])
    }))

  it('emits the hang-up to a session that answers after the caller hung up', () =>
    scene(async ({ peer, answer, emitted }) => {
      peer.says('bye')
      await expect(answer()).rejects.toMatchObject({ code: 'CALLER_GONE' })
      expect(emitted).toEqual(['hung up'])
    }))

  it('can be answered before its peer joins, and is connected when the peer does', () =>
    scene(
      async ({ clock, call, peer, answer }) => {
        const connecting = answer()
        await clock.elapse(500)
        call.join(peer)
        const connection = await connecting
        connection.mark(1)
        expect(peer.received).toEqual(['hello', 'mark 1'])
      },
      { joined: false, connectTimeout: 1_000 },
    ))

  it('is lost when its peer does not join within connectTimeout', () =>
    scene(
      async ({ clock, calls, answer, emitted }) => {
        const connecting = expect(answer()).rejects.toMatchObject({ code: 'CALLER_GONE' })
        await clock.elapse(1_001)
        await connecting
        expect(emitted).toEqual(['lost'])
        expect(calls.size).toBe(0)
      },
      { joined: false, connectTimeout: 1_000 },
    ))

  it('is answered by one session only', () =>
    scene(async ({ answer, peer }) => {
      await answer()
      await expect(answer()).rejects.toMatchObject({ code: 'LINE_TAKEN' })
      expect(peer.received).toEqual(['hello'])
    }))

  it('is dismissed by a session that is closing', () =>
    scene(async ({ answer, context, peer }) => {
      await context.scope.close()
      await expect(answer()).rejects.toThrow()
      expect(peer.received).toEqual(['bye unanswered'])
    }))
})

describe('a peer', () => {
  it('[LN4] that is replaced is not heard any more, and is cut if it does not leave', () =>
    scene(
      async ({ clock, call, peer, answer, emitted }) => {
        await answer()
        const next = new ToyPeer()
        call.join(next)
        expect(peer.state).toBe('closing')
        peer.says('text old')
        next.says('text new')
        expect(emitted).toEqual(['text new'])
        await clock.elapse(1_001)
        expect(peer.state).toBe('aborted')
      },
      { polite: false },
    ))

  it('[LN1] [LN4] that left may come back within rejoinTimeout, and gets what it has not played', () =>
    scene(async ({ clock, call, peer, answer, emitted, context }) => {
      const connection = await answer()
      connection.play(silence(200, 8_000))
      connection.mark(7)
      peer.says('played 800')
      peer.leaves()
      await clock.elapse(4_999)
      const next = new ToyPeer()
      call.join(next)
      expect(next.received).toEqual(['hello', 'mark 7', 'sound 800'])
      await clock.elapse(5_000)
      expect(emitted).toEqual([])
      await context.scope.close()
      expect(context.connections).toMatchObject([{ name: 'toy', how: 'closed', retries: 1 }])
    }))

  it('[LN1] that left and does not come back is lost, with what it is known to have heard', () =>
    scene(async ({ clock, calls, peer, answer, emitted, context }) => {
      const connection = await answer()
      connection.play(silence(200, 8_000))
      connection.mark(7)
      peer.says('played 800')
      peer.leaves()
      await clock.elapse(5_001)
      expect(emitted).toEqual(['marked 7 100', 'lost'])
      expect(calls.size).toBe(0)
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'dropped', code: 1006, retries: 0 }])
    }))

  it('[LN2] that gives no sign of life within lostTimeout is cut, and the call is lost', () =>
    scene(async ({ clock, peer, answer, emitted }) => {
      await answer()
      for (let second = 0; second < 60; second++) {
        await clock.elapse(1_000)
        if (second < 30 && second % 5 === 0) peer.says('played 0')
      }
      expect(emitted).toEqual(['lost'])
      expect(peer.state).toBe('aborted')
      expect(peer.received).toEqual(['hello'])
    }))

  it('[LN2] is asked for signs of life four times per lostTimeout, as long as it is here', () =>
    scene(
      async ({ clock, call, peer, answer }) => {
        await answer()
        await clock.elapse(5_100)
        expect(peer.received).toEqual(['hello', 'ping', 'ping'])
        const next = new ToyPeer()
        call.join(next)
        await clock.elapse(2_600)
        next.leaves()
        await clock.elapse(3_000)
        expect(next.received).toEqual(['hello', 'ping'])
        expect([...peer.late, ...next.late]).toEqual([])
      },
      { pings: true },
    ))

  it('[LN7] that sends more messages and control frames than its budget is cut off', () =>
    scene(async ({ peer, answer, emitted }) => {
      await answer()
      for (let i = 0; i < 10; i++) {
        peer.says('played 0')
        peer.owner.controlFrame()
      }
      expect(emitted).toEqual([])
      peer.owner.controlFrame()
      expect(emitted).toEqual(['lost it sends too many control frames'])
      expect(peer.received).toEqual(['hello', 'bye misbehaved'])
    }))

  it('[LN6] whose handling failed is lost, with the error', () =>
    scene(async ({ peer, answer, emitted }) => {
      await answer()
      peer.owner.failed(new Error('a listener failed'))
      expect(emitted).toEqual(['lost a listener failed'])
      expect(peer.state).toBe('aborted')
    }))
})

describe('sound', () => {
  it('waits while the peer is congested, and a clear does not', () =>
    scene(async ({ clock, peer, answer }) => {
      const connection = await answer()
      peer.buffered = 100_000
      connection.play(silence(200, 8_000))
      await clock.elapse(500)
      connection.clear()
      connection.play(silence(100, 8_000))
      expect(peer.received).toEqual(['hello', 'clear 1600'])
      peer.buffered = 0
      await clock.elapse(20)
      expect(peer.received).toEqual(['hello', 'clear 1600', 'sound 1600'])
    }))

  it('that is too much is dropped, with one warning', () =>
    scene(async ({ answer, warnings, peer }) => {
      const connection = await answer()
      for (let i = 0; i < 5; i++) connection.play(silence(6_000, 8_000))
      expect(warnings).toEqual(['too much sound is queued'])
      expect(peer.received).toHaveLength(11)
    }))

  it('is not accepted any more once the session closes, and the queue is cleared at once', () =>
    scene(async ({ answer, peer, context }) => {
      const connection = await answer()
      connection.play(silence(100, 8_000))
      const closing = context.scope.close()
      expect(peer.received).toEqual(['hello', 'sound 0', 'clear 800', 'bye ended'])
      connection.play(silence(100, 8_000))
      connection.mark(1)
      connection.clear()
      await closing
      expect(peer.received).toHaveLength(4)
    }))

  it('is not sent between the first moment of closing and the goodbye', () =>
    scene(async ({ clock, answer, peer, context }) => {
      const connection = await answer()
      // Holds the phase back in which the line is closed.
      context.scope.spawn('takes its time', () => passes(clock, 100))
      const closing = context.scope.close()
      connection.play(silence(100, 8_000))
      connection.mark(1)
      await clock.elapse(50)
      expect(peer.received).toEqual(['hello', 'clear 0'])
      await closing
    }))

  it('is not sent to a peer whose handshake completes while the session closes', () =>
    scene(async ({ clock, answer, call, context }) => {
      const connection = await answer()
      connection.mark(1)
      context.scope.spawn('takes its time', () => passes(clock, 100))
      const closing = context.scope.close()
      const next = new ToyPeer()
      call.completeHandshake(next)
      connection.mark(2)
      expect(next.received).toEqual([])
      await closing
    }))
})

describe('the end of a call', () => {
  it('[LN1] is a hang-up when the caller hangs up: pending marks come first, and nothing follows', () =>
    scene(async ({ peer, answer, emitted, context }) => {
      const connection = await answer()
      connection.play(silence(200, 8_000))
      connection.mark(1)
      connection.mark(2)
      peer.says('played 800')
      peer.says('bye')
      peer.says('text late')
      expect(emitted).toEqual(['marked 1 100', 'marked 2 0', 'hung up'])
      expect(peer.received.at(-1)).toBe('bye hung-up')
      await context.scope.close()
      expect(context.connections).toEqual([{ name: 'toy', how: 'closed', reason: 'hung-up', retries: 0 }])
    }))

  it('waits for the peer to leave', () =>
    scene(
      async ({ clock, peer, answer, context, calls }) => {
        await answer()
        let closed = false
        const closing = context.scope.close().then(() => (closed = true))
        await clock.elapse(500)
        expect(closed).toBe(false)
        expect(calls.size).toBe(0)
        peer.leaves({ how: 'closed', code: 1000, reason: 'done' })
        await closing
        expect(context.connections).toEqual([
          { name: 'toy', how: 'closed', code: 1000, reason: 'done', retries: 0 },
        ])
      },
      { polite: false },
    ))

  it('cuts a peer that does not leave, and reports it', () =>
    scene(
      async ({ clock, peer, answer, context }) => {
        await answer()
        const closing = context.scope.close()
        await clock.elapse(1_001)
        await closing
        expect(peer.state).toBe('aborted')
        expect(context.connections).toMatchObject([{ how: 'aborted' }])
      },
      { polite: false },
    ))

  it.each([
    [true, 'acknowledged'],
    [false, 'closed'],
  ])('is reported by whether the far end confirmed it: %s', (confirms, how) =>
    scene(
      async ({ answer, context }) => {
        await answer()
        await context.scope.close()
        expect(context.connections).toMatchObject([{ how }])
      },
      { confirms },
    ),
  )

  it('is a drop if the peer was away when the session closed', () =>
    scene(async ({ answer, peer, context }) => {
      await answer()
      peer.leaves()
      await context.scope.close()
      expect(context.connections).toMatchObject([{ how: 'dropped' }])
    }))

  it('tells the session once that the caller is away, and once that the caller is back', () =>
    scene(
      async ({ call, peer, answer, emitted }) => {
        await answer()
        peer.leaves()
        expect(emitted).toEqual(['away'])
        call.join(new ToyPeer({ polite: true }))
        call.join(new ToyPeer({ polite: true }))
        expect(emitted).toEqual(['away', 'back'])
      },
      { reportsAway: true },
    ))

  it('can be inspected at every moment', () =>
    scene(async ({ call, peer, answer, context }) => {
      const state = (): unknown => (call.inspect() as { state: unknown }).state
      expect(state()).toBe('ringing')
      await answer()
      expect(call.inspect()).toEqual({ call: 'one', state: 'here', generation: 1, unheard: 0 })
      peer.leaves()
      expect(state()).toBe('away')
      await context.scope.close()
      expect(state()).toBe('ended')
    }))
})
