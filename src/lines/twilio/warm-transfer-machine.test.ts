import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Untimed } from '../../scope/index.ts'
import { limits } from './limits.ts'
import { WarmTransferMachine, type WarmCommand, type WarmEvent } from './warm-transfer-machine.ts'

/** A machine with a clock, and a record of its commands. */
class Warm {
  readonly commands: string[] = []
  readonly #machine = new WarmTransferMachine({ ringTimeout: 20_000 })
  now = 0
  #due: number | undefined

  get phase(): string {
    return this.#machine.phase
  }

  get timed(): boolean {
    return this.#due !== undefined
  }

  handle(event: Untimed<WarmEvent>): string[] {
    const commands = this.#machine
      .handle({ ...event, at: this.now })
      .flatMap((command) => this.#note(command))
    this.commands.push(...commands)
    return commands
  }

  /** Lets time pass until the timer fires. */
  late(): string[] {
    const due = this.#due
    if (due === undefined) return []
    this.#due = undefined
    this.now = Math.max(this.now, due)
    return this.handle({ type: 'timer', timer: 'limit', due })
  }

  #note(command: WarmCommand): string[] {
    if (command.type === 'set-timer') this.#due = command.at
    else if (command.type === 'clear-timer') this.#due = undefined
    else if (command.type === 'settle') return [`settle ${command.outcome}`]
    else return ['who' in command ? `${command.type} ${command.who}` : command.type]
    return []
  }
}

const person = { type: 'joined', who: 'person', conference: 'CF1' } as const
const caller = { type: 'joined', who: 'caller', conference: 'CF1' } as const
const stray = { type: 'joined', who: 'caller', conference: 'CF2' } as const
const gone = (who: 'caller' | 'person') => ({ type: 'gone', who }) as const

/** A transfer that has come to a phase in the usual way. */
function at(phase: 'dialling' | 'consulting' | 'moving-person' | 'moving-caller'): Warm {
  const warm = new Warm()
  warm.handle({ type: 'go' })
  if (phase !== 'dialling') warm.handle({ type: 'here' })
  if (phase === 'moving-person' || phase === 'moving-caller') warm.handle({ type: 'decided', how: 'join' })
  if (phase === 'moving-caller') warm.handle(person)
  expect(warm.phase).toBe(phase)
  return warm
}

describe('a warm transfer', () => {
  it('[TR5] moves the person first, and the caller once the person is there', () => {
    const warm = new Warm()
    expect(warm.handle({ type: 'go' })).toEqual(['dial'])
    expect(warm.handle({ type: 'dialled', outcome: 'answered' })).toEqual([])
    expect(warm.handle({ type: 'here' })).toEqual(['consult'])
    expect(warm.handle({ type: 'decided', how: 'join' })).toEqual(['move person'])
    expect(warm.handle(person)).toEqual(['confirm person', 'move caller'])
    expect(warm.handle(caller)).toEqual(['confirm caller', 'settle answered'])
    // The two may hang up whenever they like.
    expect(warm.handle(gone('person'))).toEqual([])
    expect(warm.handle(gone('caller'))).toEqual([])
    expect(warm.late()).toEqual(['forget'])
    expect(warm.timed).toBe(false)
  })

  it.each([
    ['busy', 'busy'],
    ['machine', 'machine'],
    ['rejected', 'rejected'],
    ['cancelled', 'failed'],
    // Nothing rings any more, and the caller is still with the agent.
    ['unknown', 'failed'],
  ] as const)('[TR5] whose call to the person is %s has the outcome %s', (outcome, expected) => {
    expect(at('dialling').handle({ type: 'dialled', outcome })).toEqual(['end-person', `settle ${expected}`])
  })

  it.each([
    ['decline', 'declined'],
    ['failed', 'failed'],
  ] as const)('[TR5] ends the call to a person whose decision is %s', (how, outcome) => {
    expect(at('consulting').handle({ type: 'decided', how })).toEqual(['end-person', `settle ${outcome}`])
  })

  it.each(['dialling', 'consulting', 'moving-person'] as const)(
    '[TR5] of a caller who hangs up while it is %s ends the call to the person',
    (phase) => {
      expect(at(phase).handle(gone('caller'))).toEqual(['end-person', 'settle caller-gone'])
      expect(at(phase).handle({ type: 'cancel' })).toEqual(['end-person', 'settle failed'])
    },
  )

  it('[TR5] to a person who hangs up as soon as the call is answered leaves the caller with the agent', () => {
    const warm = at('dialling')
    expect(warm.handle(gone('person'))).toEqual([])
    expect(warm.handle({ type: 'dialled', outcome: 'answered' })).toEqual(['settle declined'])
    const other = at('dialling')
    other.handle({ type: 'dialled', outcome: 'answered' })
    expect(other.handle(gone('person'))).toEqual(['settle declined'])
    const busy = at('dialling')
    busy.handle(gone('person'))
    expect(busy.handle({ type: 'dialled', outcome: 'busy' })).toEqual(['settle busy'])
  })

  it.each(['consulting', 'moving-person'] as const)(
    '[TR5] to a person who hangs up while it is %s leaves the caller with the agent',
    (phase) => {
      expect(at(phase).handle(gone('person'))).toEqual(['settle declined'])
    },
  )

  it('[TR5] ends the call to a person who cannot be moved, and the caller is not moved', () => {
    const refused = { type: 'moved', who: 'person', outcome: 'failed' } as const
    expect(at('moving-person').handle(refused)).toEqual(['end-person', 'settle failed'])
  })

  it('[TR5] ends the call to a person to whom the caller cannot be moved', () => {
    const refused = { type: 'moved', who: 'caller', outcome: 'failed' } as const
    expect(at('moving-caller').handle(refused)).toEqual(['end-person', 'settle failed'])
    const hungUp = { type: 'moved', who: 'caller', outcome: 'caller-gone' } as const
    expect(at('moving-caller').handle(hungUp)).toEqual(['end-person', 'settle caller-gone'])
  })

  it('[TR5] brings back a caller who joins a conference that the person has left', () => {
    const warm = at('moving-caller')
    expect(warm.handle(gone('person'))).toEqual([])
    expect(warm.handle(stray)).toEqual(['bring-back'])
    expect(warm.handle({ type: 'returned', outcome: 'failed' })).toEqual(['settle declined'])
    const silent = at('moving-caller')
    expect(silent.handle(stray)).toEqual(['bring-back'])
    expect(silent.handle({ type: 'returned', outcome: 'caller-gone' })).toEqual([
      'end-person',
      'settle caller-gone',
    ])
  })

  it('[TR5] has connected the two although the person leaves before the report of the caller comes', () => {
    const warm = at('moving-caller')
    warm.handle(gone('person'))
    expect(warm.handle(caller)).toEqual(['confirm caller', 'settle answered'])
  })

  it('[TR5] goes on if the session closes while the caller is on the way', () => {
    const warm = at('moving-caller')
    expect(warm.handle(gone('caller'))).toEqual([])
    expect(warm.handle({ type: 'cancel' })).toEqual([])
    expect(warm.handle(caller)).toEqual(['confirm caller', 'settle answered'])
  })

  it('[TR5] asks the carrier if nobody says where the caller is', () => {
    const lost = { type: 'moved', who: 'caller', outcome: 'unknown' } as const
    const found = (first: 'live' | 'ended' | 'unknown', second: typeof first): string[] => {
      const warm = at('moving-caller')
      expect(warm.handle(lost)).toEqual(['look'])
      return warm.handle({ type: 'looked', caller: first, person: second })
    }
    expect(found('live', 'live')).toEqual(['settle unknown'])
    expect(found('unknown', 'unknown')).toEqual(['settle unknown'])
    expect(found('ended', 'live')).toEqual(['hung-up', 'end-person', 'settle caller-gone'])
    expect(found('live', 'ended')).toEqual(['bring-back'])
    const warm = at('moving-caller')
    expect(warm.late()).toEqual(['look'])
    expect(warm.handle(caller)).toEqual(['confirm caller', 'settle answered'])
  })

  it('[TR5] brings back a caller, and hangs up on a person, who join after it has failed', () => {
    const warm = at('moving-person')
    warm.handle({ type: 'moved', who: 'person', outcome: 'failed' })
    expect(warm.handle(person)).toEqual(['end-person'])
    expect(warm.handle(stray)).toEqual(['bring-back'])
    const other = at('moving-caller')
    other.handle({ type: 'moved', who: 'caller', outcome: 'failed' })
    expect(other.handle(stray)).toEqual(['bring-back'])
    expect(other.late()).toEqual(['forget'])
    expect(other.handle(stray)).toEqual([])
  })

  it('[TR5] ends the call to a person whose caller is with an agent again', () => {
    expect(at('consulting').handle({ type: 'back' })).toEqual([])
    const warm = at('moving-caller')
    expect(warm.handle({ type: 'back' })).toEqual(['end-person', 'settle failed'])
    const late = at('moving-caller')
    late.late()
    expect(late.late()).toEqual(['settle unknown'])
    expect(late.handle({ type: 'back' })).toEqual(['end-person'])
  })

  it.each([
    ['dialling', ['end-person', 'settle failed']],
    ['consulting', ['end-person', 'settle declined']],
    ['moving-person', ['end-person', 'settle failed']],
  ] as const)('[TR5] is %s for a limited time only', (phase, commands) => {
    expect(at(phase).late()).toEqual(commands)
  })

  it('[TR5] waits for a line only a little, once somebody has answered', () => {
    const warm = at('dialling')
    warm.handle({ type: 'dialled', outcome: 'answered' })
    expect(warm.late()).toEqual(['end-person', 'settle failed'])
    expect(warm.now).toBe(limits.connect)
  })

  const events: fc.Arbitrary<Untimed<WarmEvent> | 'late'> = fc.oneof(
    fc.constantFrom('late' as const, ...(['here', 'cancel', 'back'] as const).map((type) => ({ type }))),
    fc
      .constantFrom('answered', 'busy', 'no-answer', 'machine', 'unknown', 'cancelled')
      .map((outcome) => ({ type: 'dialled', outcome }) as const),
    fc.constantFrom('join', 'join', 'decline', 'failed').map((how) => ({ type: 'decided', how }) as const),
    fc.constantFrom(person, person, caller, stray, gone('person'), gone('caller')),
    fc
      .record({
        who: fc.constantFrom('caller', 'person'),
        outcome: fc.constantFrom('answered', 'failed', 'caller-gone', 'unknown'),
      })
      .map((moved) => ({ type: 'moved', ...moved }) as const),
    fc
      .record({
        caller: fc.constantFrom('live', 'ended', 'unknown'),
        person: fc.constantFrom('live', 'ended', 'unknown'),
      })
      .map((found) => ({ type: 'looked', ...found }) as const),
    fc.constantFrom('failed', 'caller-gone').map((outcome) => ({ type: 'returned', outcome }) as const),
  )

  it('[TR5] settles once in bounded time, moves nobody too early, and ends the call to a person whom nobody needs', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 30 }), (script) => {
        const warm = new Warm()
        warm.handle({ type: 'go' })
        const seen = new Set<string>()
        for (const event of script) {
          warm.now += 10
          if (event !== 'late' && event.type === 'decided' && warm.phase === 'consulting') seen.add(event.how)
          if (event === person && warm.phase === 'moving-person') seen.add('person joined')
          if (event !== 'late' && event.type === 'gone' && event.who === 'person') seen.add('person gone')
          const commands = event === 'late' ? warm.late() : warm.handle(event)
          if (commands.includes('move person')) expect(seen).toContain('join')
          if (commands.includes('move caller')) expect(seen).toContain('person joined')
          if (warm.phase !== 'forgotten') expect(warm.timed).toBe(true)
        }
        for (let left = 6; left > 0; left--) warm.late()
        expect([warm.phase, warm.timed]).toEqual(['forgotten', false])
        const settled = warm.commands.filter((each) => each.startsWith('settle'))
        expect(settled).toHaveLength(1)
        const connected = settled[0] === 'settle answered' || settled[0] === 'settle unknown'
        const ended = warm.commands.includes('end-person') || seen.has('person gone')
        if (!connected) expect(ended).toBe(true)
        // Whoever was connected stays so, unless the caller is with an agent again.
        if (connected && !script.some((each) => each !== 'late' && each.type === 'back'))
          expect(warm.commands).not.toContain('end-person')
        expect(warm.commands.filter((each) => each === 'dial' || each === 'consult').length).toBeLessThan(3)
      }),
      { numRuns: 3_000 },
    )
  })
})
