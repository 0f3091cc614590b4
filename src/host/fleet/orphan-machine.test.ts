import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Untimed } from '../../scope/index.ts'
import { OrphanMachine, type OrphanCommand, type OrphanEvent } from './orphan-machine.ts'

const settings = { atOnce: 5, retry: 1_000 }

/** An orphan machine in virtual time. Checks every command against what came before. */
class Life {
  readonly machine = new OrphanMachine(settings)
  readonly closing = new Set<string>()
  readonly closed: string[] = []
  /** When each orphan is due. */
  readonly due = new Map<string, number>()
  now = 0
  timer: number | undefined
  events = 0

  handle(event: Untimed<OrphanEvent>): void {
    this.events++
    for (const command of this.machine.handle({ ...event, at: this.now })) this.#check(command)
    expect(this.machine.size).toBe(this.due.size)
  }

  orphan(calls: readonly string[], wait: number): void {
    for (const call of calls) if (!this.due.has(call)) this.due.set(call, this.now + wait)
    this.handle({ type: 'orphaned', calls, wait })
  }

  close(call: string): void {
    this.closing.delete(call)
    this.due.delete(call)
    this.closed.push(call)
    this.handle({ type: 'closed', call })
  }

  fail(call: string): void {
    this.closing.delete(call)
    this.due.set(call, this.now + settings.retry)
    this.handle({ type: 'failed', calls: [call] })
  }

  letGo(): void {
    this.closing.clear()
    this.due.clear()
    this.handle({ type: 'let-go' })
  }

  elapse(ms: number): void {
    const until = this.now + ms
    while (this.timer !== undefined && this.timer <= until) {
      const due = this.timer
      this.timer = undefined
      expect(due, 'a timer is never set for the past').toBeGreaterThanOrEqual(this.now)
      this.now = due
      this.handle({ type: 'timer', timer: 'next', due })
    }
    this.now = until
  }

  #check(command: OrphanCommand): void {
    switch (command.type) {
      case 'set-timer':
        this.timer = command.at
        return
      case 'clear-timer':
        this.timer = undefined
        return
      case 'close':
        for (const call of command.calls) {
          expect(this.closing.has(call), 'closed once at a time').toBe(false)
          expect(this.due.get(call), 'not before its time').toBeLessThanOrEqual(this.now)
          this.closing.add(call)
        }
        expect(this.closing.size).toBeLessThanOrEqual(settings.atOnce)
    }
  }
}

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

type Step = (life: Life) => void

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.subarray(names), fc.constantFrom(0, 0, 500, 20_000)).map<Step>(
    ([calls, wait]) =>
      (life) =>
        life.orphan(calls, wait),
  ),
  fc.constantFrom(0, 1, 400, 1_000, 20_000).map<Step>((ms) => (life) => life.elapse(ms)),
  fc.nat(7).map<Step>((index) => (life) => {
    const call = [...life.closing][index]
    if (call !== undefined) life.close(call)
  }),
  fc.nat(7).map<Step>((index) => (life) => {
    const call = [...life.closing][index]
    if (call !== undefined) life.fail(call)
  }),
  fc.constant<Step>((life) => life.letGo()),
)

describe('an orphan machine', () => {
  it('closes an orphan when its time is up', () => {
    const life = new Life()
    life.orphan(['a'], 20_000)
    life.elapse(19_999)
    expect([...life.closing]).toEqual([])
    life.elapse(1)
    expect([...life.closing]).toEqual(['a'])
  })

  it('ignores an orphan that it knows, and takes the same call again once it is closed', () => {
    const life = new Life()
    life.orphan(['a'], 100)
    life.elapse(50)
    life.orphan(['a'], 100)
    life.elapse(50)
    life.orphan(['a'], 0)
    life.close('a')
    expect(life.machine.size).toBe(0)
    life.orphan(['a'], 0)
    expect([...life.closing]).toEqual(['a'])
  })

  it('closes a few at once, and the next ones as soon as there is room', () => {
    const life = new Life()
    life.orphan(names, 0)
    expect(life.closing.size).toBe(5)
    expect(life.timer).toBeUndefined()
    life.close('a')
    expect(life.closing.has('f')).toBe(true)
  })

  it('repeats a close that failed after a pause', () => {
    const life = new Life()
    life.orphan(['a'], 0)
    life.fail('a')
    life.elapse(999)
    expect([...life.closing]).toEqual([])
    life.elapse(1)
    expect([...life.closing]).toEqual(['a'])
  })

  it('forgets everything when the host lets go', () => {
    const life = new Life()
    life.orphan(names, 0)
    life.letGo()
    life.handle({ type: 'closed', call: 'a' })
    life.handle({ type: 'failed', calls: ['b'] })
    life.elapse(60_000)
    expect([life.machine.size, life.timer, life.closing.size]).toEqual([0, undefined, 0])
  })

  it('closes every orphan exactly once, whatever happens before', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 60 }), (story) => {
        const life = new Life()
        for (const step of story) step(life)
        const left = new Set(life.due.keys())
        const before = life.closed.length
        for (let rounds = 0; life.machine.size > 0; rounds++) {
          expect(rounds).toBeLessThan(100)
          for (const call of life.closing) life.close(call)
          life.elapse(20_000)
        }
        expect(life.closed.slice(before).toSorted()).toEqual([...left].toSorted())
        expect(life.timer).toBeUndefined()
      }),
    )
  })

  it('needs one event per orphan, also for 20,000 of them', () => {
    const life = new Life()
    const many = Array.from({ length: 20_000 }, (_, index) => `call ${index}`)
    for (let from = 0; from < many.length; from += 1_000) life.orphan(many.slice(from, from + 1_000), 20_000)
    life.elapse(20_000)
    while (life.machine.size > 0) for (const call of life.closing) life.close(call)
    expect(life.closed).toHaveLength(20_000)
    expect(life.events).toBeLessThan(20_100)
  })
})
