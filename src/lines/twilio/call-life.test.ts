import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Untimed } from '../../scope/index.ts'
import type { LifeCommand, LifeEvent } from './call-life-events.ts'
import { CallLife } from './call-life.ts'
import { limits } from './limits.ts'

/** A call in virtual time. */
class Life {
  readonly machine: CallLife
  readonly commands: string[] = []
  now = 0
  #due: number | undefined

  constructor(canLook = true) {
    this.machine = new CallLife({ canLook })
  }

  get place(): CallLife['place'] {
    return this.machine.place
  }

  get timed(): boolean {
    return this.#due !== undefined
  }

  handle(event: Untimed<LifeEvent>): string[] {
    const commands = this.machine.handle({ ...event, at: this.now }).flatMap((each) => this.#note(each))
    this.commands.push(...commands)
    return commands
  }

  /** Lets time pass until the timer fires, if there is one. */
  late(): string[] {
    const due = this.#due
    if (due === undefined) return []
    this.#due = undefined
    this.now = Math.max(this.now, due)
    return this.handle({ type: 'timer', timer: 'place', due })
  }

  #note(command: LifeCommand): string[] {
    if (command.type === 'set-timer') this.#due = command.at
    else if (command.type === 'clear-timer') this.#due = undefined
    else if (command.type === 'settle') return [`settle ${command.outcome}`]
    else if (command.type === 'keys') return [command.pressed ? 'keys pressed' : 'keys not pressed']
    else return [command.type]
    return []
  }
}

describe('the life of a call at its carrier', () => {
  it('[LN14] does not take a stop for a hang-up before the carrier was asked', () => {
    const life = new Life()
    expect(life.handle({ type: 'stop' })).toEqual(['wait', 'look'])
    expect(life.handle({ type: 'looked', found: 'ended' })).toEqual(['hung-up'])
  })

  it('[LN14] takes a stop for a hang-up if the carrier does not say otherwise', () => {
    const life = new Life()
    life.handle({ type: 'stop' })
    expect(life.handle({ type: 'looked', found: 'unknown' })).toEqual(['hung-up'])
    expect(new Life(false).handle({ type: 'stop' })).toEqual(['hung-up'])
  })

  it('[LN14] is taken over by somebody else if the carrier says twice that it is live', () => {
    const life = new Life()
    life.handle({ type: 'stop' })
    expect(life.handle({ type: 'looked', found: 'live' })).toEqual([])
    expect(life.late()).toEqual(['look'])
    expect(life.handle({ type: 'looked', found: 'live' })).toEqual(['taken'])
    expect(life.place).toBe('elsewhere')
  })

  it('[LN14] has ended if the carrier is slow to notice it', () => {
    const life = new Life()
    life.handle({ type: 'stop' })
    life.handle({ type: 'looked', found: 'live' })
    life.late()
    expect(life.handle({ type: 'looked', found: 'ended' })).toEqual(['hung-up'])
  })

  it('[LN14] goes on here if the carrier asks for another document after the stop', () => {
    const life = new Life()
    life.handle({ type: 'stop' })
    expect(life.handle({ type: 'again' })).toEqual(['expect'])
    expect(life.handle({ type: 'looked', found: 'ended' })).toEqual([])
    expect(life.place).toBe('here')
  })

  it('[TR1] is elsewhere once the person has answered', () => {
    const life = new Life()
    expect(life.handle({ type: 'transfer', ringFor: 20_000 })).toEqual(['redirect'])
    // The stream may stop before the answer to the request, or after it.
    expect(life.handle({ type: 'stop' })).toEqual(['wait'])
    life.handle({ type: 'asked', how: 'accepted' })
    expect(life.handle({ type: 'answered' })).toEqual(['settle answered'])
    expect(life.place).toBe('elsewhere')
    expect(life.handle({ type: 'ended' })).toEqual([])
  })

  it('[TR1] brings the caller back if nobody answers', () => {
    const life = new Life()
    life.handle({ type: 'transfer', ringFor: 20_000 })
    life.handle({ type: 'asked', how: 'accepted' })
    life.handle({ type: 'stop' })
    expect(life.handle({ type: 'dialled', outcome: 'busy' })).toEqual(['expect'])
    expect(life.place).toBe('returning')
    expect(life.handle({ type: 'started' })).toEqual(['settle busy'])
    expect(life.place).toBe('here')
    // Again, with another outcome.
    life.handle({ type: 'transfer', ringFor: 20_000 })
    expect(life.handle({ type: 'answered' })).toEqual(['settle answered'])
  })

  it('[TR1] keeps the caller if the carrier refuses, or neither answers nor stops the stream', () => {
    const refused = new Life()
    refused.handle({ type: 'transfer', ringFor: 20_000 })
    expect(refused.handle({ type: 'asked', how: 'refused' })).toEqual(['settle failed'])
    const silent = new Life()
    silent.handle({ type: 'transfer', ringFor: 20_000 })
    expect(silent.handle({ type: 'asked', how: 'silent' })).toEqual([])
    expect(silent.late()).toEqual(['settle failed'])
    expect(silent.now).toBe(limits.redirect)
    expect(silent.place).toBe('here')
  })

  it('[TR1] asks about a call whose stream has stopped although the carrier refuses: the caller may have hung up', () => {
    const life = new Life()
    life.handle({ type: 'transfer', ringFor: 20_000 })
    life.handle({ type: 'stop' })
    expect(life.handle({ type: 'asked', how: 'refused' })).toEqual(['settle failed', 'look'])
    expect(life.handle({ type: 'looked', found: 'ended' })).toEqual(['hung-up'])
  })

  it('[TR1] rings the person if the stream broke before the carrier took the request', () => {
    const life = new Life()
    life.handle({ type: 'transfer', ringFor: 20_000 })
    life.handle({ type: 'stop' })
    expect(life.handle({ type: 'again' })).toEqual(['expect'])
    expect(life.handle({ type: 'asked', how: 'accepted' })).toEqual(['wait'])
    expect([life.place, life.timed]).toEqual(['ringing', true])
    expect(life.handle({ type: 'answered' })).toEqual(['settle answered'])
    // If the carrier does not take it, the caller is back.
    const refused = new Life()
    refused.handle({ type: 'transfer', ringFor: 20_000 })
    refused.handle({ type: 'stop' })
    refused.handle({ type: 'again' })
    expect(refused.handle({ type: 'asked', how: 'refused' })).toEqual([])
    expect(refused.handle({ type: 'started' })).toEqual(['settle failed'])
    // The answer to a request that was given up does not come: keys have their own.
    const givenUp = new Life()
    givenUp.handle({ type: 'transfer', ringFor: 20_000 })
    givenUp.handle({ type: 'again' })
    givenUp.handle({ type: 'started' })
    givenUp.handle({ type: 'press', lasts: 700 })
    expect(givenUp.handle({ type: 'asked', how: 'accepted' })).toEqual(['wait'])
    expect([givenUp.place, givenUp.timed]).toEqual(['pressing', true])
  })

  it('[TR1] takes a stop for the answer that the carrier owes', () => {
    const life = new Life()
    life.handle({ type: 'transfer', ringFor: 20_000 })
    life.handle({ type: 'asked', how: 'silent' })
    life.handle({ type: 'stop' })
    life.late()
    expect(life.place).toBe('ringing')
  })

  it('[TR1] has an outcome although the carrier never reports one', () => {
    const life = new Life()
    life.handle({ type: 'transfer', ringFor: 20_000 })
    life.handle({ type: 'asked', how: 'accepted' })
    expect(life.late()).toEqual(['settle unknown'])
    expect(life.now).toBe(20_000 + limits.ringSlack)
    expect(life.place).toBe('elsewhere')
  })

  it('[TR1] ends if the caller hangs up while the phone rings', () => {
    const life = new Life()
    life.handle({ type: 'transfer', ringFor: 20_000 })
    life.handle({ type: 'asked', how: 'accepted' })
    expect(life.handle({ type: 'ended' })).toEqual(['settle caller-gone', 'hung-up'])
    const early = new Life()
    early.handle({ type: 'transfer', ringFor: 20_000 })
    expect(early.handle({ type: 'asked', how: 'gone' })).toEqual(['settle caller-gone', 'hung-up'])
  })

  it('[TR1] says that the person has rejected the call, whichever report comes first', () => {
    for (const isFirst of [true, false]) {
      const life = new Life()
      life.handle({ type: 'transfer', ringFor: 20_000 })
      life.handle({ type: 'asked', how: 'accepted' })
      if (isFirst) life.handle({ type: 'rejected', leg: 'CA1' })
      life.handle({ type: 'dialled', outcome: 'busy', leg: 'CA1' })
      if (!isFirst) life.handle({ type: 'rejected', leg: 'CA1' })
      expect(life.handle({ type: 'started' })).toEqual(['settle rejected'])
      // What is said about the first person does not concern the second one.
      life.handle({ type: 'transfer', ringFor: 20_000 })
      life.handle({ type: 'dialled', outcome: 'busy', leg: 'CA2' })
      expect(life.handle({ type: 'started' })).toEqual(['settle busy'])
    }
  })

  it('[KY9] is back after its keys, whether the stream stops before the answer of the carrier or after it', () => {
    for (const order of [
      ['stop', 'asked'],
      ['asked', 'stop'],
    ] as const) {
      const life = new Life()
      expect(life.handle({ type: 'press', lasts: 700 })).toEqual(['redirect'])
      for (const type of order)
        expect(life.handle(type === 'stop' ? { type } : { type, how: 'accepted' })).toEqual(['wait'])
      expect(life.place).toBe('pressing')
      expect(life.handle({ type: 'pressed' })).toEqual(['expect'])
      expect(life.handle({ type: 'started' })).toEqual(['keys pressed'])
      expect([life.place, life.timed]).toEqual(['here', false])
      // The same report, once more.
      expect(life.handle({ type: 'pressed' })).toEqual([])
      expect(life.place).toBe('here')
    }
  })

  it('[KY9] is back after its keys if the stream stops after everything else', () => {
    const life = new Life()
    life.handle({ type: 'press', lasts: 700 })
    life.handle({ type: 'pressed' })
    expect(life.handle({ type: 'stop' })).toEqual([])
    expect(life.handle({ type: 'asked', how: 'accepted' })).toEqual([])
    expect(life.handle({ type: 'started' })).toEqual(['keys pressed'])
  })

  it('[KY9] keeps the caller if the carrier refuses to press keys, or neither answers nor stops the stream', () => {
    const refused = new Life()
    refused.handle({ type: 'press', lasts: 700 })
    expect(refused.handle({ type: 'asked', how: 'refused' })).toEqual(['keys not pressed'])
    expect(refused.place).toBe('here')
    // A stop has nothing to do with the keys.
    expect(refused.handle({ type: 'stop' })).toEqual(['wait', 'look'])
    const silent = new Life()
    silent.handle({ type: 'press', lasts: 700 })
    expect(silent.handle({ type: 'asked', how: 'silent' })).toEqual([])
    expect(silent.late()).toEqual(['keys not pressed'])
    expect([silent.place, silent.now]).toEqual(['here', limits.redirect])
  })

  it('[KY9] expects the call back if the carrier presses keys although they were given up', () => {
    const life = new Life()
    life.handle({ type: 'press', lasts: 700 })
    life.handle({ type: 'asked', how: 'silent' })
    life.late()
    expect(life.handle({ type: 'stop' })).toEqual(['wait'])
    expect([life.place, life.timed]).toEqual(['pressing', true])
    expect(life.handle({ type: 'pressed' })).toEqual(['expect'])
    expect(life.handle({ type: 'started' })).toEqual([])
    expect(life.place).toBe('here')
    // Not for ever: much later, a stop is a hang-up or a redirect of somebody else.
    life.handle({ type: 'press', lasts: 700 })
    life.handle({ type: 'asked', how: 'silent' })
    life.late()
    life.now += limits.lateKeys
    expect(life.handle({ type: 'stop' })).toEqual(['wait', 'look'])
  })

  it('[KY9] asks about a call whose stream has stopped although the carrier refuses to press keys', () => {
    const life = new Life()
    life.handle({ type: 'press', lasts: 700 })
    life.handle({ type: 'stop' })
    expect(life.handle({ type: 'asked', how: 'refused' })).toEqual(['keys not pressed', 'look'])
    expect(life.handle({ type: 'looked', found: 'ended' })).toEqual(['hung-up'])
  })

  it('[KY9] has the carrier connect a call again that does not come back after its keys', () => {
    const life = new Life()
    life.handle({ type: 'press', lasts: 700 })
    life.handle({ type: 'asked', how: 'accepted' })
    life.handle({ type: 'stop' })
    expect(life.late()).toEqual(['keys not pressed', 'recall', 'expect'])
    expect(life.now).toBe(700 + limits.keys)
    expect(life.handle({ type: 'started' })).toEqual([])
    expect(life.place).toBe('here')
  })

  it('[KY9] ends while keys are pressed, and says what became of them', () => {
    const early = new Life()
    early.handle({ type: 'press', lasts: 700 })
    expect(early.handle({ type: 'asked', how: 'gone' })).toEqual(['keys not pressed', 'hung-up'])
    const late = new Life()
    late.handle({ type: 'press', lasts: 700 })
    late.handle({ type: 'pressed' })
    expect(late.handle({ type: 'ended' })).toEqual(['keys pressed', 'hung-up'])
  })

  it('[KY9] has not pressed keys if the stream broke before the carrier was asked', () => {
    const life = new Life()
    life.handle({ type: 'press', lasts: 700 })
    life.handle({ type: 'stop' })
    expect(life.handle({ type: 'again' })).toEqual(['expect'])
    expect(life.handle({ type: 'started' })).toEqual(['keys not pressed'])
    // The request was taken after all.
    expect(life.handle({ type: 'stop' })).toEqual(['wait'])
    expect(life.place).toBe('pressing')
  })

  it('[KY9] neither presses keys nor is transferred while the caller is not here', () => {
    const life = new Life()
    life.handle({ type: 'transfer', ringFor: 20_000 })
    expect(life.handle({ type: 'press', lasts: 700 })).toEqual(['keys not pressed'])
    life.handle({ type: 'asked', how: 'refused' })
    life.handle({ type: 'press', lasts: 700 })
    expect(life.handle({ type: 'transfer', ringFor: 20_000 })).toEqual(['settle failed'])
    expect(life.place).toBe('pressing')
  })

  const events: fc.Arbitrary<Untimed<LifeEvent> | 'late'> = fc.oneof(
    fc.constantFrom(
      ...(['stop', 'started', 'again', 'answered', 'pressed', 'ended'] as const).map((type) => ({ type })),
      { type: 'transfer', ringFor: 20_000 } as const,
      { type: 'press', lasts: 700 } as const,
      'late' as const,
    ),
    fc.constantFrom('accepted', 'refused', 'gone', 'silent').map((how) => ({ type: 'asked', how }) as const),
    fc.constantFrom('live', 'ended', 'unknown').map((found) => ({ type: 'looked', found }) as const),
    fc
      .constantFrom('answered', 'busy', 'no-answer', 'failed')
      .map((outcome) => ({ type: 'dialled', outcome }) as const),
  )

  it('[TR1] [KY9] settles every transfer and all keys once, hangs up once, and never both loses and keeps the caller', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 40 }), (script) => {
        const life = new Life()
        let asked = 0
        let presses = 0
        let hasStream = true
        for (const event of script) {
          life.now += 10
          if (event === 'late') life.late()
          else life.handle(event)
          if (event !== 'late' && event.type === 'transfer' && life.place !== 'ended') asked++
          if (event !== 'late' && event.type === 'press' && life.place !== 'ended') presses++
          // A place that waits for the carrier alone is bounded, or the request under way is.
          if (life.place === 'ringing') expect(life.timed).toBe(true)
          // Nobody waits for ever for a stream that has stopped.
          const type = event === 'late' ? event : event.type
          if (type === 'started' || life.commands.at(-1) === 'expect') hasStream = true
          else if (type === 'stop') hasStream = false
          if (life.place === 'here') expect(hasStream).toBe(true)
        }
        life.handle({ type: 'ended' })
        const count = (prefix: string): number =>
          life.commands.filter((each) => each.startsWith(prefix)).length
        const ends = life.commands.filter((each) => each === 'hung-up' || each === 'taken')
        expect([count('settle'), count('keys')]).toEqual([asked, presses])
        expect(ends.length).toBeLessThanOrEqual(1)
        expect(life.place).toBe('ended')
      }),
      { numRuns: 3_000 },
    )
  })
})
