import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Untimed } from '../../scope/index.ts'
import { LeaseMachine, type LeaseCommand, type LeaseEvent, type LeaseTimer } from './lease-machine.ts'

const lease = 15_000
const settings = { lease, grace: lease, retry: 1_000, adoptPause: 500 }

type Request = 'join' | 'beat' | 'adopt' | 'recover'

/** A lease machine in virtual time. Checks every command against what came before. */
class Life {
  readonly machine: LeaseMachine
  readonly timers = new Map<LeaseTimer, number>()
  readonly commands: LeaseCommand['type'][] = []
  /** When each beat and join was sent. */
  readonly beats: number[] = []
  pending: Request | undefined
  now = 0
  /** Since when every beat succeeded. */
  steadySince = Infinity
  #member = false
  #left = false
  #letGo = true

  constructor(random = 0.5, grace = lease) {
    this.machine = new LeaseMachine({ ...settings, grace, random: { next: () => random } })
  }

  /** A host that has joined, at its first beat after `grace`. */
  static steady(): Life {
    const life = new Life()
    life.handle({ type: 'start' })
    life.answer()
    while (life.now < lease) {
      life.elapse(1_000)
      if (life.pending === 'beat') life.answer()
    }
    return life
  }

  handle(event: Untimed<LeaseEvent>): LeaseCommand['type'][] {
    const commands = this.machine.handle({ ...event, at: this.now })
    for (const command of commands) this.#check(command)
    const types = commands.map(({ type }) => type).filter((type) => !type.endsWith('-timer'))
    this.commands.push(...types)
    return types
  }

  /** Answers the request under way. */
  answer({ more = false } = {}): LeaseCommand['type'][] {
    const { pending } = this
    if (pending === undefined) return []
    this.pending = undefined
    if (pending === 'adopt') return this.handle({ type: 'adopted', more })
    if (pending === 'recover') return this.handle({ type: 'recovered' })
    if (pending === 'beat' && this.now - this.beats.at(-1)! > lease / 10) this.steadySince = Infinity
    this.steadySince = Math.min(this.steadySince, this.now)
    this.#member = true
    return this.handle({ type: pending === 'join' ? 'joined' : 'beaten' })
  }

  fail(): LeaseCommand['type'][] {
    if (this.pending === 'join' || this.pending === 'beat') this.steadySince = Infinity
    this.pending = undefined
    return this.handle({ type: 'failed' })
  }

  declareDead(): LeaseCommand['type'][] {
    if (this.pending !== 'beat') return []
    this.pending = undefined
    this.#member = false
    this.steadySince = Infinity
    this.#letGo = false
    return this.handle({ type: 'declared-dead' })
  }

  leave(): LeaseCommand['type'][] {
    const types = this.handle({ type: 'leave' })
    this.#left = true
    this.pending = undefined
    return types
  }

  elapse(ms: number): void {
    const until = this.now + ms
    for (let count = 0; ; count++) {
      assert.ok(count < 1_000, 'timers that fire without end')
      const [timer, due] = [...this.timers].toSorted((a, b) => a[1] - b[1])[0] ?? []
      if (timer === undefined || due === undefined || due > until) break
      this.timers.delete(timer)
      this.now = Math.max(this.now, due)
      this.handle({ type: 'timer', timer, due })
    }
    this.now = until
  }

  #check(command: LeaseCommand): void {
    assert.ok(!this.#left, `${command.type} after it has left`)
    switch (command.type) {
      case 'set-timer':
        this.timers.set(command.timer, command.at)
        return
      case 'clear-timer':
        this.timers.delete(command.timer)
        return
      case 'let-go':
        assert.ok(!this.#letGo, 'lets go once')
        this.#letGo = true
        return
      case 'join':
      case 'beat':
      case 'adopt':
      case 'recover':
        this.#checkRequest(command.type)
    }
  }

  #checkRequest(request: Request): void {
    assert.equal(this.pending, undefined, 'one request at a time')
    assert.equal(request === 'join', !this.#member)
    assert.ok(this.#letGo, 'lets go before it joins again')
    this.pending = request
    if (request === 'join' || request === 'beat') this.beats.push(this.now)
    if (request === 'adopt') assert.ok(this.now - this.steadySince >= lease)
  }
}

describe('a lease machine', () => {
  it('joins, and renews its lease three times per lease', () => {
    const life = new Life(0.999)
    expect(life.handle({ type: 'start' })).toEqual(['join'])
    expect(life.answer()).toEqual([])
    for (let count = 0; count < 10; count++) {
      life.elapse(lease / 3)
      expect(life.pending).toBe('beat')
      life.answer()
      if (life.pending === 'adopt') life.answer()
    }
  })

  it('spreads its beats at random', () => {
    const beatAt = (random: number): number => {
      const life = new Life(random)
      life.handle({ type: 'start' })
      life.answer()
      life.elapse(lease / 3)
      return life.beats[1]!
    }
    expect([beatAt(0), beatAt(0.5)]).toEqual([4_000, 4_500])
  })

  it('[HO33] adopts nothing until its beats have succeeded for a lease', () => {
    const life = new Life()
    life.handle({ type: 'start' })
    life.answer()
    life.elapse(4_500)
    life.answer()
    life.elapse(4_500)
    life.fail()
    life.elapse(1_000)
    expect(life.pending).toBe('beat')
    life.answer()
    const since = life.now
    while (life.pending !== 'adopt') {
      life.answer()
      life.elapse(100)
    }
    expect(life.now - since).toBe(lease)
  })

  it('[HO33] starts anew after a beat that took long', () => {
    const life = Life.steady()
    if (life.pending === 'adopt') life.answer()
    life.elapse(5_000)
    expect(life.pending).toBe('beat')
    life.elapse(2_000)
    life.answer()
    expect(life.pending).toBeUndefined()
  })

  it('adopts after every beat, and pauses before it adopts more', () => {
    const life = Life.steady()
    expect(life.pending).toBe('adopt')
    life.answer({ more: true })
    expect(life.pending).toBeUndefined()
    life.elapse(500)
    expect(life.pending).toBe('adopt')
    life.answer()
    life.elapse(1_000)
    expect(life.pending).toBeUndefined()
  })

  it('beats before it adopts, when both are due', () => {
    const life = Life.steady()
    life.elapse(5_000)
    life.answer({ more: true })
    expect(life.pending).toBe('beat')
  })

  it('looks up its orphans when it is unsure, until that succeeds', () => {
    const life = Life.steady()
    life.handle({ type: 'unsure' })
    life.fail()
    life.elapse(1_000)
    expect(life.pending).toBe('recover')
    life.fail()
    life.elapse(1_000)
    expect(life.pending).toBe('recover')
    life.answer()
    expect(life.pending).toBe('adopt')
    life.answer()
    expect(life.handle({ type: 'unsure' })).toEqual(['recover'])
  })

  it('[HO32] lets go once when it was declared dead, and then joins again', () => {
    const life = Life.steady()
    life.answer()
    life.elapse(5_000)
    expect(life.declareDead()).toEqual(['let-go', 'join'])
    life.fail()
    life.elapse(1_500)
    expect(life.pending).toBe('join')
    life.answer()
    expect(life.machine.phase).toBe('member')
  })

  it('beats at once when it is woken, but once per second at most', () => {
    const life = Life.steady()
    life.answer()
    life.elapse(2_000)
    expect(life.handle({ type: 'wake' })).toEqual(['beat'])
    life.answer()
    life.answer()
    expect(life.handle({ type: 'wake' })).toEqual([])
    expect(life.handle({ type: 'wake' })).toEqual([])
    life.elapse(1_000)
    expect(life.pending).toBe('beat')
  })

  it('leaves from any phase, and does nothing afterwards', () => {
    const life = Life.steady()
    expect(life.leave()).toEqual([])
    life.elapse(60_000)
    for (const type of ['start', 'joined', 'beaten', 'declared-dead', 'failed', 'wake', 'leave'] as const)
      expect(life.handle({ type })).toEqual([])
  })

  it('ignores answers to requests that are not under way', () => {
    const life = Life.steady()
    expect(life.pending).toBe('adopt')
    for (const type of ['joined', 'beaten', 'declared-dead', 'recovered', 'start'] as const)
      expect(life.handle({ type })).toEqual([])
  })
})

type Step = (life: Life) => void

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.boolean().map<Step>((more) => (life) => life.answer({ more })) },
  { weight: 5, arbitrary: fc.nat(6_000).map<Step>((ms) => (life) => life.elapse(ms)) },
  { weight: 2, arbitrary: fc.constant<Step>((life) => life.fail()) },
  { weight: 1, arbitrary: fc.constant<Step>((life) => life.declareDead()) },
  { weight: 1, arbitrary: fc.constant<Step>((life) => life.handle({ type: 'wake' })) },
  { weight: 1, arbitrary: fc.constant<Step>((life) => life.handle({ type: 'unsure' })) },
)

describe('a lease machine, in any order of events', () => {
  const stories = fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.array(steps, { maxLength: 80 }))

  it('[HO32] has one request at a time, lets go before it joins again, and never stops trying', () => {
    fc.assert(
      fc.property(stories, ([random, story]) => {
        const life = new Life(random)
        life.handle({ type: 'start' })
        for (const step of story) step(life)
        // The journal answers from now on.
        const from = life.now
        for (let count = 0; count < 200; count++) {
          life.answer()
          life.elapse(100)
        }
        expect(life.machine.phase).toBe('member')
        const beats = [from, ...life.beats.filter((at) => at > from), life.now]
        const gaps = beats.slice(1).map((at, index) => at - beats[index]!)
        expect(Math.max(...gaps)).toBeLessThanOrEqual(lease / 3 + 100)
        expect(life.commands).toContain('adopt')
      }),
    )
  })

  it('does nothing after it has left', () => {
    fc.assert(
      fc.property(stories, fc.array(steps, { maxLength: 20 }), ([random, story], after) => {
        const life = new Life(random)
        life.handle({ type: 'start' })
        for (const step of story) step(life)
        life.leave()
        for (const step of after) step(life)
        expect(life.timers.size).toBe(0)
      }),
    )
  })
})
