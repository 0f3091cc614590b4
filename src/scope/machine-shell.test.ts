import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../testing/index.ts'
import { MachineShell, Scope, advance, changeTimers, type TimerCommand, type TimerEvent } from './index.ts'

type Event =
  | { readonly type: 'go'; readonly at: number; readonly ms: number }
  | { type: 'stop'; at: number }
  | TimerEvent<'bell'>
type Command = TimerCommand<'bell'> | { readonly type: 'say'; readonly text: string }

/** Rings `ms` after `go`. */
class Bell {
  readonly state = { now: 0, timers: {} as { bell?: number } }

  handle(event: Event): Command[] {
    if (!advance(this.state, event)) return [{ type: 'say', text: 'stale' }]
    const timers = new Map<'bell', number>()
    if (event.type === 'go') timers.set('bell', event.at + event.ms)
    const text = event.type === 'timer' ? `ding at ${event.at}` : event.type
    return [...changeTimers(this.state, timers), { type: 'say', text }]
  }
}

function aBell(scope: Scope) {
  const said: string[] = []
  const shell = new MachineShell<Event, Command>(new Bell(), scope, {
    name: 'bell',
    carryOut: ({ text }) => said.push(text),
  })
  return { said, shell }
}

describe('a machine shell', () => {
  it('stamps events with the time, sets the timers, and carries out the other commands in order', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('test', { clock })
      const { said, shell } = aBell(scope)
      await clock.elapse(100)
      shell.handle({ type: 'go', ms: 50 })
      expect(said).toEqual(['go'])
      expect(clock.timers.list().map(({ name }) => name)).toEqual(['bell: bell'])
      await clock.elapse(50)
      expect(said).toEqual(['go', 'ding at 150'])
      await scope.close()
    }))

  it('replaces a timer that is set again, and clears one that is not wanted any more', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('test', { clock })
      const { said, shell } = aBell(scope)
      shell.handle({ type: 'go', ms: 50 })
      shell.handle({ type: 'go', ms: 80 })
      await clock.elapse(60)
      expect(said).toEqual(['go', 'go'])
      shell.handle({ type: 'stop' })
      await clock.elapse(60)
      expect(said).toEqual(['go', 'go', 'stop'])
      await scope.close()
    }))

  it('sets no timer once its scope is closing, and ignores events once it is stopped', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('test', { clock })
      const { said, shell } = aBell(scope)
      const closed = scope.close()
      shell.handle({ type: 'go', ms: 50 })
      await closed
      shell.stop()
      shell.handle({ type: 'go', ms: 50 })
      await clock.elapse(100)
      expect(said).toEqual(['go'])
    }))

  it('handles an event that a command causes at once, before the commands that follow', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('test', { clock })
      const order: string[] = []
      const machine = {
        handle: ({ type }: { type: string; at: number }) => [{ type: `${type} 1` }, { type: `${type} 2` }],
      }
      const shell: MachineShell<{ type: string; at: number }, { type: string }> = new MachineShell(
        machine,
        scope,
        {
          name: 'nested',
          carryOut: ({ type }) => {
            order.push(type)
            if (type === 'outer 1') shell.handle({ type: 'inner' })
          },
        },
      )
      shell.handle({ type: 'outer' })
      expect(order).toEqual(['outer 1', 'inner 1', 'inner 2', 'outer 2'])
      await scope.close()
    }))
})

describe('advance', () => {
  it('ignores a timer that was cleared or replaced just before it fired', () => {
    const bell = new Bell()
    bell.handle({ type: 'go', at: 0, ms: 50 })
    bell.handle({ type: 'go', at: 10, ms: 50 })
    expect(bell.handle({ type: 'timer', at: 50, timer: 'bell', due: 50 })).toEqual([
      { type: 'say', text: 'stale' },
    ])
    expect(bell.state.timers.bell).toBe(60)
  })

  it('takes the time of the timer if the clock fired early, and never goes back', () => {
    const bell = new Bell()
    bell.handle({ type: 'go', at: 0, ms: 50 })
    bell.handle({ type: 'timer', at: 49.5, timer: 'bell', due: 50 })
    expect(bell.state.now).toBe(50)
    bell.handle({ type: 'stop', at: 20 })
    expect(bell.state.now).toBe(50)
  })
})
