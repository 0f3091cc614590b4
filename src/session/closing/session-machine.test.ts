import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Untimed } from '../../scope/index.ts'
import type { CloseReason } from './close-reason.ts'
import { SessionMachine } from './session-machine.ts'
import type {
  CloseCommand,
  SessionCommand,
  SessionEvent,
  SessionState,
  SessionTimer,
} from './session-events.ts'

const settings = {
  stallTimeout: 1_000,
  endTimeout: 30_000,
  maxDuration: 100_000,
  idleTimeout: 20_000,
  goodbye: { idle: 'Are you there? Goodbye.' },
  maxFailures: 3,
  apology: { again: 'Sorry?', end: 'Sorry. Goodbye.' },
}

/** Which states may follow each state. */
const next: Record<SessionState, readonly SessionState[]> = {
  new: ['live', 'closing'],
  live: ['ending', 'closing'],
  ending: ['live', 'closing'],
  closing: ['closed'],
  closed: [],
}

/** A session machine in virtual time. Checks every command and state against what came before. */
class Life {
  readonly machine = new SessionMachine(settings)
  readonly timers = new Map<SessionTimer, number>()
  readonly commands: SessionCommand[] = []
  readonly asked: number[] = []
  readonly settled = new Map<number, string>()
  readonly states: SessionState[] = ['new']
  readonly closes: CloseCommand[] = []
  now = 0
  /** When something last made progress. */
  movedAt = 0

  handle(event: Untimed<SessionEvent>): SessionCommand[] {
    const commands = this.machine.handle({ ...event, at: this.now })
    for (const command of commands) this.#check(command)
    const { phase } = this.machine
    if (phase !== this.states.at(-1)) {
      expect(next[this.states.at(-1)!], `${this.states.at(-1)} to ${phase}`).toContain(phase)
      this.states.push(phase)
    }
    if (phase === 'ending') expect(this.timers.has('stall'), 'a graceful end is always bounded').toBe(true)
    if (this.machine.isClosing) expect([...this.timers], 'timers of a closing session').toEqual([])
    return commands
  }

  end(options: { say?: string; cancellable?: boolean; reason?: CloseReason; drain?: boolean } = {}): number {
    const id = this.asked.length + 1
    const { say, cancellable = false, reason = 'agent-hung-up', drain = false } = options
    this.asked.push(id)
    const activity = { movedAt: this.movedAt, busyUntil: 0 }
    if (drain || this.machine.phase === 'live')
      this.handle({ type: 'end', id, ask: { reason }, say, cancellable, ...activity })
    return id
  }

  elapse(ms: number): void {
    const until = this.now + ms
    for (;;) {
      const [first] = [...this.timers].toSorted((a, b) => a[1] - b[1])
      if (!first || first[1] > until) break
      const [timer, due] = first
      this.timers.delete(timer)
      this.now = Math.max(this.now, due)
      this.handle({ type: 'timer', timer, due, movedAt: this.movedAt, busyUntil: 0 })
    }
    this.now = until
  }

  get reason(): CloseReason | undefined {
    return this.closes[0]?.ask.reason
  }

  #check(command: SessionCommand): void {
    if (command.type === 'set-timer') return void this.timers.set(command.timer, command.at)
    if (command.type === 'clear-timer') return void this.timers.delete(command.timer)
    this.commands.push(command)
    if (command.type === 'close') {
      this.closes.push(command)
      expect(this.closes, 'a session closes once').toHaveLength(1)
    }
    if (command.type === 'settle') {
      const { ending, outcome } = command
      if (!this.settled.has(ending)) this.settled.set(ending, outcome)
    }
    if (command.type === 'finish-turn' || command.type === 'say')
      expect(command.ending).toBe(this.machine.ending)
  }
}

function aLiveSession(): Life {
  const life = new Life()
  life.handle({ type: 'opened' })
  return life
}

describe('the session machine', () => {
  it('[CL3] lets the turn in flight finish, says goodbye, and closes with the reason of the request', () => {
    const life = aLiveSession()
    const id = life.end({ say: 'Goodbye!' })
    expect(life.commands.map(({ type }) => type)).toEqual([
      'emit-state',
      'emit-state',
      'stop-turns',
      'finish-turn',
    ])
    life.handle({ type: 'idle', ending: id })
    expect(life.commands.at(-1)).toEqual({ type: 'say', ending: id, say: 'Goodbye!', interruptible: false })
    life.handle({ type: 'said', ending: id, how: 'played', confirmed: true })
    expect(life.settled.get(id)).toBe('confirmed')
    expect(life.reason).toBe('agent-hung-up')
  })

  it('[CL3] says goodbye once, and only after the turn in flight has finished', () => {
    const life = aLiveSession()
    const id = life.end({ say: 'Goodbye!' })
    expect(life.handle({ type: 'idle', ending: id + 1 })).toEqual([])
    expect(life.handle({ type: 'idle', ending: id })).toHaveLength(1)
    expect(life.handle({ type: 'idle', ending: id })).toEqual([])
  })

  it('[CL3] closes a session whose graceful end stalls, but not one that makes progress', () => {
    const life = aLiveSession()
    life.end()
    life.movedAt = 900
    life.elapse(1_500)
    expect(life.machine.phase).toBe('ending')
    life.elapse(400)
    expect(life.machine.phase).toBe('closing')
    expect(life.closes[0]).toMatchObject({
      ask: { reason: 'agent-hung-up' },
      also: { by: 'stallTimeout' },
    })
  })

  it('[CL3] closes a session whose graceful end reaches endTimeout, even if it makes progress', () => {
    const life = aLiveSession()
    life.end()
    for (let round = 0; round < 35; round++) {
      life.movedAt = life.now
      life.elapse(900)
    }
    expect(life.closes[0]).toMatchObject({ also: { by: 'endTimeout' } })
  })

  it('[SP8] resumes the session if the caller cancels the goodbye, and begins a drain that was requested meanwhile', () => {
    const life = aLiveSession()
    const id = life.end({ say: 'Bye.', cancellable: true })
    const drain = life.end({ reason: 'host-draining', drain: true })
    life.handle({ type: 'idle', ending: id })
    life.handle({ type: 'said', ending: id, how: 'interrupted', confirmed: true })
    expect(life.settled.get(id)).toBe('cancelled')
    expect(life.machine.ending).toBe(drain)
    life.handle({ type: 'idle', ending: drain })
    life.handle({ type: 'said', ending: drain })
    expect(life.reason).toBe('host-draining')
  })

  it('[CL2] reports a drop during a goodbye as a drop, and passes the goodbye on for the report', () => {
    const life = aLiveSession()
    life.end({ say: 'Bye.' })
    life.handle({ type: 'close', ask: { reason: 'caller-lost', by: 'line' } })
    expect(life.closes[0]).toMatchObject({
      ask: { reason: 'caller-lost' },
      cutOff: { ask: { reason: 'agent-hung-up' } },
    })
  })

  it('[CL2] passes on requests to close that arrive while the close begins, once it has begun', () => {
    const life = aLiveSession()
    life.handle({ type: 'close', ask: { reason: 'requested' } })
    expect(life.handle({ type: 'close', ask: { reason: 'caller-hung-up' } })).toEqual([])
    expect(life.handle({ type: 'begun' })).toEqual([
      { type: 'close-again', ask: { reason: 'caller-hung-up' } },
    ])
    expect(life.handle({ type: 'close', ask: { reason: 'error' } })).toHaveLength(1)
    life.handle({ type: 'closed' })
    expect(life.handle({ type: 'close', ask: { reason: 'error' } })).toEqual([])
  })

  it('[CL14] warns before each cap ends the session with a goodbye', () => {
    const life = aLiveSession()
    life.elapse(70_000)
    expect(life.commands.at(-1)).toEqual({ type: 'warn', reason: 'max-duration', left: 30_000 })
    life.handle({ type: 'spent', share: 0.85 })
    expect(life.commands.at(-1)).toMatchObject({ type: 'warn', reason: 'budget' })
    life.handle({ type: 'user-idle' })
    expect(life.commands.at(-1)).toEqual({ type: 'warn', reason: 'idle', left: 10_000 })
    life.movedAt = 80_000
    life.elapse(10_000)
    expect(life.machine.phase).toBe('ending')
    life.handle({ type: 'idle', ending: 0 })
    expect(life.commands.at(-1)).toMatchObject({ type: 'say', say: settings.goodbye.idle })
    life.handle({ type: 'said', ending: 0, how: 'played', confirmed: true })
    expect(life.reason).toBe('idle')
  })

  it('[CL14] ends by a cap that was reached during a goodbye, if the caller cancels the goodbye', () => {
    const life = aLiveSession()
    life.elapse(99_500)
    const id = life.end({ say: 'Bye.', cancellable: true })
    life.elapse(600)
    life.handle({ type: 'idle', ending: id })
    life.handle({ type: 'said', ending: id, how: 'interrupted', confirmed: true })
    expect(life.settled.get(id)).toBe('cancelled')
    expect(life.machine.phase).toBe('ending')
    life.handle({ type: 'idle', ending: 0 })
    life.handle({ type: 'said', ending: 0 })
    expect(life.reason).toBe('max-duration')
  })

  it('[CL14] does not end a session as idle after the caller has cancelled a goodbye', () => {
    const life = aLiveSession()
    life.handle({ type: 'user-idle' })
    life.elapse(9_500)
    const id = life.end({ say: 'Bye.', cancellable: true })
    life.elapse(600)
    life.handle({ type: 'idle', ending: id })
    life.handle({ type: 'said', ending: id, how: 'interrupted', confirmed: true })
    expect(life.settled.get(id)).toBe('cancelled')
    expect(life.machine.phase).toBe('live')
  })

  it('[CL14] does not end a session as idle if the user becomes active again', () => {
    const life = aLiveSession()
    life.handle({ type: 'user-idle' })
    life.handle({ type: 'user-active' })
    life.elapse(60_000)
    expect(life.machine.phase).toBe('live')
  })
})

describe('failures', () => {
  const fails = (life: Life, part = 'llm', canSpeak = true): void =>
    void life.handle({ type: 'part-failed', part, canSpeak })
  const said = (life: Life): unknown[] =>
    life.commands.flatMap((command) => ('say' in command && command.say !== undefined ? [command.say] : []))

  it('[FA2] are followed by an apology each, and the third in a row ends the session', () => {
    const life = aLiveSession()
    fails(life)
    life.handle({ type: 'apologised' })
    fails(life)
    life.handle({ type: 'apologised' })
    expect(life.machine.phase).toBe('live')
    fails(life)
    expect(life.machine.phase).toBe('ending')
    life.handle({ type: 'idle', ending: 0 })
    expect(said(life)).toEqual(['Sorry?', 'Sorry?', 'Sorry. Goodbye.'])
    life.handle({ type: 'said', ending: 0, how: 'played', confirmed: true })
    expect(life.reason).toBe('error')
    expect(life.closes[0]).toMatchObject({ ask: { by: 'llm' }, cutOff: undefined })
  })

  it('[FA2] of an apology count, but are not followed by another', () => {
    const life = aLiveSession()
    fails(life)
    fails(life)
    expect(said(life)).toEqual(['Sorry?'])
    fails(life)
    expect(life.machine.phase).toBe('ending')
  })

  it('[FA2] of a voice are not followed by an apology', () => {
    const life = aLiveSession()
    for (let times = 0; times < 3; times++) fails(life, 'tts', false)
    expect(life.machine.phase).toBe('ending')
    life.handle({ type: 'idle', ending: 0 })
    expect(said(life)).toEqual([])
  })

  it('[FA2] are counted for each part, in a row', () => {
    const life = aLiveSession()
    for (let times = 0; times < 20; times++) {
      fails(life)
      fails(life, 'tts', false)
      life.handle({ type: 'part-worked', part: times % 2 === 0 ? 'llm' : 'tts' })
    }
    expect(life.machine.phase).toBe('live')
  })
})

describe('a goodbye', () => {
  it('[FA4] is said although the turn in flight is stuck, and closes the session if it is stuck, too', () => {
    const life = aLiveSession()
    life.end({ say: 'Bye.' })
    life.elapse(settings.stallTimeout)
    expect(life.machine.phase).toBe('ending')
    expect(life.commands.slice(-2)).toMatchObject([{ type: 'give-up-turn' }, { type: 'say', say: 'Bye.' }])
    life.elapse(settings.stallTimeout)
    expect(life.machine.phase).toBe('closing')
  })
})

const reasons: readonly CloseReason[] = ['requested', 'caller-hung-up', 'caller-lost', 'error']
const step = fc.record({
  what: fc.constantFrom(
    ...(['opened', 'hang up', 'cancellable', 'drain', 'idle', 'played', 'interrupted', 'failed'] as const),
    ...(['stale', 'close', 'begun', 'closed', 'user-idle', 'user-active', 'spent', 'time'] as const),
    ...(['llm fails', 'tts fails', 'llm works', 'apologised'] as const),
  ),
  pick: fc.nat(7),
})

function act(life: Life, what: string, pick: number): void {
  const ending = life.machine.ending ?? 99
  switch (what) {
    case 'opened':
    case 'user-idle':
    case 'user-active':
      return void life.handle({ type: what })
    case 'hang up':
    case 'cancellable':
    case 'drain':
      return void life.end({
        cancellable: what === 'cancellable',
        drain: what === 'drain',
        ...(pick % 2 === 0 ? {} : { say: 'Bye.' }),
      })
    case 'idle':
      return void life.handle({ type: 'idle', ending })
    case 'played':
    case 'interrupted':
    case 'failed':
      return void life.handle({ type: 'said', ending, how: what, confirmed: pick % 2 === 0 })
    case 'stale':
      life.handle({ type: 'idle', ending: 98 })
      return void life.handle({ type: 'said', ending: 98, how: 'played', confirmed: true })
    case 'close':
      return void life.handle({ type: 'close', ask: { reason: reasons[pick % 4]! } })
    case 'begun':
      if (life.machine.phase === 'closing') life.handle({ type: 'begun' })
      return undefined
    case 'closed':
      if (life.machine.phase === 'closing') life.handle({ type: 'closed' })
      return undefined
    case 'llm fails':
      return void life.handle({ type: 'part-failed', part: 'llm', canSpeak: true })
    case 'tts fails':
      return void life.handle({ type: 'part-failed', part: 'tts', canSpeak: false })
    case 'llm works':
      return void life.handle({ type: 'part-worked', part: 'llm' })
    case 'apologised':
      return void life.handle({ type: what })
    case 'spent':
      return void life.handle({ type: 'spent', share: pick / 6 })
    case 'time':
      if (pick % 2 === 0) life.movedAt = life.now
      return life.elapse(400 * (pick + 1))
  }
}

describe('with random events, the session machine', () => {
  it('[CL1] [CL2] changes state only as drawn, closes once, and settles every hang-up', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const life = new Life()
        for (const { what, pick } of steps) act(life, what, pick)
        life.handle({ type: 'close', ask: { reason: 'requested' } })
        expect(life.closes).toHaveLength(1)
        const begun = life.commands.flatMap((command) =>
          command.type === 'finish-turn' ? command.ending : [],
        )
        expect(begun.filter((id) => !life.settled.has(id))).toEqual([])
      }),
      { numRuns: 5_000 },
    )
  })

  it('[CL3] closes a graceful end without progress after stallTimeout', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const life = new Life()
        for (const { what, pick } of steps) act(life, what, pick)
        if (life.machine.phase !== 'ending') return
        // Once for the turn in flight, and once for the goodbye.
        life.elapse(settings.stallTimeout)
        life.elapse(settings.stallTimeout)
        expect(life.machine.phase).toBe('closing')
      }),
      { numRuns: 3_000 },
    )
  })
})
