import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Untimed } from '../../scope/index.ts'
import {
  PlayoutMachine,
  type PlayoutCommand,
  type PlayoutEvent,
  type PlayoutTimer,
} from './playout-machine.ts'

const settings = { playoutTimeout: 200, stallTimeout: 1_000, pauses: true }

/** A playout machine in virtual time. Checks every command against what the events and commands before it allow. */
class Playout {
  readonly machine = new PlayoutMachine(settings)
  readonly timers = new Map<PlayoutTimer, number>()
  readonly log: string[] = []
  readonly queued: number[] = []
  readonly priorities = new Map<number, number>()
  readonly delivered: number[] = []
  readonly audible = new Set<number>()
  readonly interrupted = new Set<number>()
  readonly ended = new Map<number, PlayoutCommand & { type: 'end' }>()
  /** Speeches whose mark the line has not returned. */
  readonly marks = new Set<number>()
  now = 0
  muted = false

  handle(event: Untimed<PlayoutEvent>): PlayoutCommand[] {
    const commands = this.machine.handle({ ...event, at: this.now })
    for (const command of commands) this.#check(command)
    return commands
  }

  queue(id: number, priority = 0): PlayoutCommand[] {
    this.queued.push(id)
    this.priorities.set(id, priority)
    if (this.muted) this.interrupted.add(id)
    return this.handle({ type: 'queue', id, priority })
  }

  interrupt(id: number): PlayoutCommand[] {
    if (!this.ended.has(id)) this.interrupted.add(id)
    return this.handle({ type: 'interrupt', id })
  }

  /** Lets time pass. Timers fire in order. */
  elapse(ms: number, soundUntil = this.now): void {
    const until = this.now + ms
    for (;;) {
      const [next] = [...this.timers].toSorted((a, b) => a[1] - b[1])
      if (!next || next[1] > until) break
      const [timer, due] = next
      this.timers.delete(timer)
      this.now = Math.max(this.now, due)
      this.handle({ type: 'timer', timer, due, soundUntil })
    }
    this.now = until
  }

  /** Does what a session does when it closes. */
  close(): void {
    this.muted = true
    this.handle({ type: 'mute' })
    for (const id of this.machine.queue) this.interrupt(id)
    if (this.machine.current !== undefined) this.interrupt(this.machine.current)
    this.handle({ type: 'silence' })
  }

  #check(command: PlayoutCommand): void {
    if (command.type === 'set-timer') return void this.timers.set(command.timer, command.at)
    if (command.type === 'clear-timer') return void this.timers.delete(command.timer)
    this.log.push(`${command.type} ${command.id}`)
    expect(this.ended.has(command.id), `${command.type} after the end of ${command.id}`).toBe(false)
    switch (command.type) {
      case 'deliver': {
        expect(this.muted, 'delivers after mute').toBe(false)
        expect(this.delivered).not.toContain(command.id)
        const waiting = this.queued.filter((id) => !this.delivered.includes(id) && !this.ended.has(id))
        const first = waiting.toSorted((a, b) => this.priorities.get(b)! - this.priorities.get(a)!)[0]
        expect(command.id, 'the order of the queue').toBe(first)
        this.delivered.push(command.id)
        return
      }
      case 'finish':
        expect(this.audible.has(command.id) && !this.machine.isPaused).toBe(true)
        this.marks.add(command.id)
        return
      case 'clear':
        expect(command.audible).toBe(this.audible.has(command.id))
        if (command.audible) this.marks.add(command.id)
        return
      case 'end': {
        const { id, how, confirmed } = command
        this.ended.set(id, command)
        if (!this.audible.has(id)) expect(confirmed, 'nothing was audible').toBe(true)
        if (this.interrupted.has(id)) expect(how).toBe('interrupted')
        else expect(how, 'nothing interrupted it').not.toBe('interrupted')
        return
      }
      case 'stop':
      case 'send-again':
        return
    }
  }
}

describe('the playout machine', () => {
  it('plays one speech after the other, each until its end is confirmed', () => {
    const playout = new Playout()
    playout.queue(1)
    playout.queue(2)
    expect(playout.log).toEqual(['deliver 1'])
    playout.audible.add(1)
    playout.handle({ type: 'sounding', id: 1 })
    playout.handle({ type: 'made', id: 1, failed: false, endsAt: 500 })
    playout.now = 500
    playout.handle({ type: 'confirmed', id: 1 })
    expect(playout.log).toEqual(['deliver 1', 'finish 1', 'end 1', 'deliver 2'])
    expect(playout.ended.get(1)).toMatchObject({ how: 'played', confirmed: true })
  })

  it('keeps nothing of speeches that have ended, however many there were', () => {
    const playout = new Playout()
    for (let id = 1; id <= 20; id++) {
      playout.queue(id)
      playout.audible.add(id)
      playout.handle({ type: 'sounding', id })
      playout.handle({ type: 'made', id, endsAt: playout.now + 50, failed: false })
      playout.elapse(400)
    }
    expect(playout.ended.size).toBe(20)
    expect(playout.machine.state.timers).toStrictEqual({})
  })

  it('[SP5] waits once for a line that does not confirm, and not again until it confirms', () => {
    const playout = new Playout()
    const speak = (id: number): void => {
      playout.queue(id)
      playout.audible.add(id)
      playout.handle({ type: 'sounding', id })
      playout.handle({ type: 'made', id, failed: false, endsAt: playout.now + 100 })
    }
    speak(1)
    playout.elapse(299)
    expect(playout.ended.size).toBe(0)
    playout.elapse(1)
    expect(playout.ended.get(1)).toMatchObject({ how: 'played', confirmed: false })
    speak(2)
    playout.elapse(100)
    expect(playout.ended.get(2)).toMatchObject({ confirmed: false })
    playout.handle({ type: 'confirmed', id: undefined })
    speak(3)
    playout.elapse(299)
    expect(playout.ended.has(3)).toBe(false)
  })

  it('[SP8] waits for a line that does not confirm if it is hung up afterwards', () => {
    const playout = new Playout()
    playout.queue(1)
    playout.audible.add(1)
    playout.handle({ type: 'sounding', id: 1 })
    playout.handle({ type: 'made', id: 1, failed: false, endsAt: 0 })
    playout.elapse(200)
    playout.handle({ type: 'wait-for-line', wait: true })
    playout.queue(2)
    playout.audible.add(2)
    playout.handle({ type: 'sounding', id: 2 })
    playout.handle({ type: 'made', id: 2, failed: false, endsAt: 300 })
    playout.elapse(299)
    expect(playout.ended.has(2)).toBe(false)
    playout.elapse(1)
    expect(playout.ended.get(2)).toMatchObject({ confirmed: false })
  })

  it('[SP8] waits for a line that does not confirm if the hang-up is requested during the last speech', () => {
    const playout = new Playout()
    const speak = (id: number): void => {
      playout.queue(id)
      playout.audible.add(id)
      playout.handle({ type: 'sounding', id })
      playout.handle({ type: 'made', id, failed: false, endsAt: playout.now + 100 })
    }
    speak(1)
    playout.elapse(300)
    speak(2)
    playout.handle({ type: 'wait-for-line', wait: true })
    playout.elapse(299)
    expect(playout.ended.has(2)).toBe(false)
    playout.elapse(1)
    expect(playout.ended.has(2)).toBe(true)
  })

  it('[CL9] [CL10] delivers nothing after it is muted, and ends what is queued then at once', () => {
    const playout = new Playout()
    playout.close()
    playout.queue(1)
    expect(playout.log).toEqual(['end 1'])
    expect(playout.ended.get(1)).toMatchObject({ how: 'interrupted', confirmed: true })
  })

  it('fails a speech that stalls, after playing the sound made so far', () => {
    const playout = new Playout()
    playout.queue(1)
    playout.audible.add(1)
    playout.handle({ type: 'sounding', id: 1 })
    playout.elapse(1_500, 600)
    expect(playout.ended.size).toBe(0)
    playout.elapse(100, 600)
    expect(playout.log).toEqual(['deliver 1', 'stop 1', 'finish 1'])
    playout.handle({ type: 'confirmed', id: 1 })
    expect(playout.ended.get(1)).toMatchObject({ how: 'failed', confirmed: true })
  })

  it('[SP9] does not end a speech that is paused after its last sound was sent', () => {
    const playout = new Playout()
    playout.queue(1)
    playout.audible.add(1)
    playout.handle({ type: 'sounding', id: 1 })
    playout.handle({ type: 'made', id: 1, failed: false, endsAt: 500 })
    playout.handle({ type: 'pause' })
    playout.elapse(10_000)
    expect(playout.ended.size).toBe(0)
  })

  it('[SP9] neither fails nor ends a paused speech, and sends what was not heard again', () => {
    const playout = new Playout()
    playout.queue(1)
    playout.audible.add(1)
    playout.handle({ type: 'sounding', id: 1 })
    playout.handle({ type: 'pause' })
    playout.handle({ type: 'confirmed', id: 1 })
    playout.elapse(10_000)
    playout.handle({ type: 'made', id: 1, failed: false, endsAt: 0 })
    expect(playout.ended.size).toBe(0)
    playout.handle({ type: 'resume' })
    playout.handle({ type: 'sent-again', id: 1, endsAt: playout.now + 100 })
    expect(playout.log).toEqual(['deliver 1', 'clear 1', 'send-again 1', 'finish 1'])
  })
})

/** An event that may happen next. `pick` chooses the speech or a duration. */
const step = fc.record({
  what: fc.constantFrom(
    ...(['queue', 'queue', 'sound', 'made', 'failed', 'confirmed', 'other mark', 'interrupt'] as const),
    ...(['pause', 'resume', 'wait for line', 'do not wait', 'time', 'long time', 'close'] as const),
  ),
  pick: fc.nat(5),
})

function act(playout: Playout, what: string, pick: number): void {
  const { machine } = playout
  const { current } = machine
  const known = playout.queued
  const some = known[pick % Math.max(1, known.length)]
  switch (what) {
    case 'queue':
      return void playout.queue(known.length + 1, pick % 3)
    case 'sound':
      if (current === undefined || machine.isPaused) return undefined
      playout.audible.add(current)
      return void playout.handle({ type: 'sounding', id: current })
    case 'made':
    case 'failed':
      if (current === undefined) return undefined
      return void playout.handle({
        type: 'made',
        id: current,
        failed: what === 'failed',
        endsAt: playout.now + pick * 50,
      })
    case 'confirmed': {
      const id = [...playout.marks][pick % Math.max(1, playout.marks.size)]
      if (id === undefined) return undefined
      playout.marks.delete(id)
      return void playout.handle({ type: 'confirmed', id })
    }
    case 'other mark':
      return void playout.handle({ type: 'confirmed', id: undefined })
    case 'interrupt':
      return void (some === undefined || playout.interrupt(some))
    case 'pause':
      return void playout.handle({ type: 'pause' })
    case 'resume': {
      const again = playout.handle({ type: 'resume' }).find(({ type }) => type === 'send-again')
      if (again && current !== undefined)
        playout.handle({ type: 'sent-again', id: current, endsAt: playout.now + 50 })
      return undefined
    }
    case 'wait for line':
    case 'do not wait':
      return void playout.handle({ type: 'wait-for-line', wait: what === 'wait for line' })
    case 'time':
      return playout.elapse(60 * (pick + 1))
    case 'long time':
      return playout.elapse(5_000)
    case 'close':
      return playout.close()
  }
}

describe('with random events, the playout machine', () => {
  it('[SP3] [CL10] ends every speech exactly once, and leaves no timer after a close', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const playout = new Playout()
        for (const { what, pick } of steps) act(playout, what, pick)
        playout.close()
        expect([...playout.ended.keys()].toSorted((a, b) => a - b)).toEqual(playout.queued)
        expect([...playout.timers]).toEqual([])
        expect(playout.machine.isIdle).toBe(true)
      }),
      { numRuns: 3_000 },
    )
  })

  it('[SP5] ends every speech in bounded time, unless it is paused', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const playout = new Playout()
        for (const { what, pick } of steps) if (what !== 'close') act(playout, what, pick)
        act(playout, 'resume', 0)
        for (let rounds = 0; rounds <= playout.queued.length; rounds++) playout.elapse(10_000)
        expect([...playout.ended.keys()].toSorted((a, b) => a - b)).toEqual(playout.queued)
        expect([...playout.timers]).toEqual([])
      }),
      { numRuns: 3_000 },
    )
  })
})
