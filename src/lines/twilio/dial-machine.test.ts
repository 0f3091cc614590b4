import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Untimed } from '../../scope/index.ts'
import { DialMachine, type DialCommand, type DialEvent } from './dial-machine.ts'
import { limits } from './limits.ts'

const settings = { ringTimeout: 30_000, refusesMachines: true }

/** An attempt in virtual time. */
class Attempt {
  readonly machine: DialMachine
  readonly commands: string[] = []
  now = 0
  #due: number | undefined

  constructor(options: Partial<typeof settings> = {}) {
    this.machine = new DialMachine({ ...settings, ...options })
  }

  /** One that rings. */
  static ringing(): Attempt {
    const attempt = new Attempt()
    attempt.handle({ type: 'go' })
    attempt.handle({ type: 'created', id: 'CA1' })
    return attempt
  }

  get timed(): boolean {
    return this.#due !== undefined
  }

  handle(event: Untimed<DialEvent>): string[] {
    const commands = this.machine.handle({ ...event, at: this.now }).flatMap((each) => this.#note(each))
    this.commands.push(...commands)
    return commands
  }

  late(): string[] {
    const due = this.#due
    if (due === undefined) return []
    this.#due = undefined
    this.now = Math.max(this.now, due)
    return this.handle({ type: 'timer', timer: 'limit', due })
  }

  #note(command: DialCommand): string[] {
    if (command.type === 'set-timer') this.#due = command.at
    else if (command.type === 'clear-timer') this.#due = undefined
    else if (command.type === 'settle') return [command.outcome]
    else return [command.type]
    return []
  }
}

const id = 'CA1'

describe('an attempt to call somebody', () => {
  it('[DI1] settles with what the carrier reports', () => {
    for (const ended of ['busy', 'no-answer', 'rejected', 'failed'] as const) {
      const attempt = Attempt.ringing()
      expect(attempt.handle({ type: 'report', id })).toEqual([])
      expect(attempt.handle({ type: 'report', id, ended })).toEqual([ended])
      expect(attempt.handle({ type: 'report', id, ended: 'failed' })).toEqual([])
    }
  })

  it('[DI1] settles when somebody answers, even before the answer to the request', () => {
    const attempt = new Attempt()
    expect(attempt.handle({ type: 'go' })).toEqual(['create'])
    expect(attempt.handle({ type: 'asked', id, machine: false })).toEqual(['answered'])
    expect(attempt.handle({ type: 'created', id })).toEqual([])
    expect(attempt.timed).toBe(false)
  })

  it('[DI1] does not talk to a machine, unless it may', () => {
    expect(Attempt.ringing().handle({ type: 'asked', id, machine: true })).toEqual(['machine', 'hang-up'])
    const patient = new Attempt({ refusesMachines: false })
    patient.handle({ type: 'go' })
    expect(patient.handle({ type: 'asked', id, machine: true })).toEqual(['answered'])
  })

  it('[DI1] never asks twice: after a silence, the first webhook tells that it rings', () => {
    const attempt = new Attempt()
    attempt.handle({ type: 'go' })
    expect(attempt.handle({ type: 'silent', why: 'it answers 500' })).toEqual([])
    expect(attempt.handle({ type: 'report', id, ended: 'busy' })).toEqual(['busy'])
    const lost = new Attempt()
    lost.handle({ type: 'go' })
    lost.handle({ type: 'silent', why: 'it answers 500' })
    expect(lost.late()).toEqual(['unknown'])
    expect(lost.now).toBe(30_000 + limits.dialSlack)
    // It did ring, and is ended as soon as that is known.
    expect(lost.handle({ type: 'report', id })).toEqual(['hang-up'])
  })

  it('[DI2] is cancelled at any moment, and nothing rings on', () => {
    const queued = new Attempt()
    expect(queued.handle({ type: 'cancel' })).toEqual(['cancelled'])
    expect(queued.handle({ type: 'go' })).toEqual([])
    const creating = new Attempt()
    creating.handle({ type: 'go' })
    expect(creating.handle({ type: 'cancel' })).toEqual([])
    expect(creating.handle({ type: 'created', id })).toEqual(['hang-up'])
    expect(creating.handle({ type: 'hung-up', confirmed: true })).toEqual(['cancelled'])
    const ringing = Attempt.ringing()
    expect(ringing.handle({ type: 'cancel' })).toEqual(['hang-up'])
    // Answered in the same instant.
    expect(ringing.handle({ type: 'asked', id, machine: false })).toEqual([])
    expect(ringing.handle({ type: 'report', id, ended: 'no-answer' })).toEqual(['cancelled'])
    const unconfirmed = Attempt.ringing()
    unconfirmed.handle({ type: 'cancel' })
    expect(unconfirmed.handle({ type: 'hung-up', confirmed: false })).toEqual(['unknown'])
  })

  it('[DI2] is ended if the carrier never says how it ended', () => {
    const attempt = Attempt.ringing()
    expect(attempt.late()).toEqual(['hang-up'])
    expect(attempt.handle({ type: 'hung-up', confirmed: true })).toEqual(['unknown'])
  })

  const events: fc.Arbitrary<Untimed<DialEvent> | 'late'> = fc.oneof(
    fc.constantFrom<Untimed<DialEvent> | 'late'>(
      { type: 'go' },
      { type: 'created', id },
      { type: 'refused', why: '' },
      { type: 'silent', why: '' },
      { type: 'report', id },
      { type: 'report', id, ended: 'busy' },
      { type: 'asked', id, machine: false },
      { type: 'asked', id, machine: true },
      { type: 'cancel' },
      'late',
    ),
    fc.boolean().map((confirmed) => ({ type: 'hung-up', confirmed }) as const),
  )

  it('[DI1] [DI2] creates at most one call, settles once, and lets nothing ring on', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 30 }), (script) => {
        const attempt = new Attempt()
        let hasEnded = false
        attempt.handle({ type: 'go' })
        for (const event of script) {
          attempt.now += 10
          const isLate = event === 'late'
          if (isLate) attempt.late()
          // Only what can follow a request happens.
          else if (event.type !== 'hung-up' || attempt.commands.includes('hang-up')) attempt.handle(event)
          if (isLate) continue
          const ends = event.type === 'report' && event.ended !== undefined
          hasEnded ||= ends || event.type === 'refused' || (event.type === 'hung-up' && event.confirmed)
        }
        attempt.handle({ type: 'cancel' })
        const wanted = attempt.machine.outcome === 'answered'
        const asked = attempt.commands.includes('hang-up')
        if (attempt.machine.id !== undefined && !wanted && !hasEnded) expect(asked).toBe(true)
        // Whatever is left ends by a hang-up or by the limit.
        attempt.handle({ type: 'silent', why: '' })
        attempt.late()
        attempt.handle({ type: 'hung-up', confirmed: true })
        const outcomes = attempt.commands.filter((each) => each !== 'create' && each !== 'hang-up')
        expect(outcomes).toHaveLength(1)
        expect(attempt.commands.filter((each) => each === 'create').length).toBeLessThanOrEqual(1)
        expect(attempt.timed).toBe(false)
      }),
      { numRuns: 5_000 },
    )
  })
})
