import { describe, expect, it } from 'vitest'
import { ExplorationError, explore, stateKeys, type Model } from './index.ts'

/** A lift that may be closed for good. Someone may hold its door while it closes. */
interface Lift {
  floor: number
  door: 'open' | 'closing' | 'closed'
  held: number
}

const keyOf = stateKeys()

type Event = 'up' | 'down' | 'close' | 'hold' | 'time'

const moves: Model<Lift, Event>['moves'] = {
  up: ({ door, floor }) => (door === 'open' && floor < 5 ? 'up' : undefined),
  down: ({ door, floor }) => (door === 'open' && floor > 0 ? 'down' : undefined),
  close: ({ door }) => (door === 'open' ? 'close' : undefined),
  hold: ({ door, held }) => (door === 'closing' && held < 2 ? 'hold' : undefined),
  time: ({ door }) => (door === 'closing' ? 'time' : undefined),
}

function lift(changes: Partial<Model<Lift, Event>> = {}): Model<Lift, Event> {
  return {
    start: { floor: 0, door: 'open', held: 0 },
    fork: (world) => ({ ...world }),
    handle(world, event) {
      if (event === 'up') world.floor++
      if (event === 'down') world.floor--
      if (event === 'close') world.door = 'closing'
      if (event === 'hold') world.held++
      if (event !== 'time') return
      if (world.held > 0) world.held--
      else world.door = 'closed'
    },
    key: ({ floor, door, held }) => keyOf([floor, door, held]),
    moves,
    fair: ['time'],
    mustEnd: ({ door }) => door === 'closing',
    ...changes,
  }
}

function failure(model: Model<Lift, Event>, strict = false): ExplorationError {
  try {
    explore(model, { strict })
  } catch (error) {
    if (error instanceof ExplorationError) return error
    throw error
  }
  throw new Error('no rule was broken')
}

describe('explore', () => {
  it('[EX1] visits every state once, and counts the steps between them', () => {
    const open: Model<Lift, Event>['moves'] = { up: moves['up']!, down: moves['down']! }
    expect(explore(lift({ moves: open, fair: [] }))).toEqual({
      states: 6,
      steps: 10,
      depth: 6,
      complete: true,
      endsWithin: undefined,
    })
  })

  it('stops at a depth or a number of states, and reports what it has explored completely', () => {
    expect(explore(lift(), { maxDepth: 2 })).toMatchObject({ states: 7, depth: 2, complete: false })
    expect(explore(lift(), { maxStates: 4 })).toMatchObject({ depth: 1, complete: false })
  })

  it('[EX1] tells the shortest story that breaks a rule', () => {
    const error = failure(
      lift({
        check({ floor, door }) {
          if (floor === 2 && door === 'closed') throw new Error('stuck on the second floor')
        },
      }),
    )
    expect(error.moves).toEqual(['up', 'up', 'close', 'time'])
    expect(error.message).toBe('stuck on the second floor\n\n   1  up\n   2  up\n   3  close\n   4  time')
    expect(error.code).toBe('VIOLATION')
  })

  it('shows what the machine answered, and where a rule was broken', () => {
    const error = failure(
      lift({
        handle(world, event) {
          if (event === 'down') throw new Error('down is forbidden')
          if (event === 'up') world.floor++
          return [{ type: 'set-timer', timer: 'door', at: 5 }, 'ding', { type: 'go', to: { floor: 1 } }]
        },
      }),
    )
    expect(error.message).toBe(
      'down is forbidden\n\n   1  up    set-timer door 5, ding, go {"floor":1}\n   2  down  ✗',
    )
  })

  it('[EX2] counts the fair moves that an end takes at most', () => {
    const unheld = { ...moves, hold: () => undefined }
    expect(explore(lift({ moves: unheld })).endsWithin).toBe(1)
    expect(explore(lift({ moves: unheld, start: { floor: 0, door: 'open', held: 2 } })).endsWithin).toBe(3)
  })

  it('[EX2] finds an end that other events can delay forever', () => {
    const error = failure(lift())
    expect(error.message).toBe(
      'the end can be delayed forever\n\n   1  close\n   2  hold\n      again and again:\n   3  time\n   4  hold',
    )
    expect(error.moves).toEqual(['close', 'hold', 'time', 'hold'])
  })

  it('[EX2] finds an end that nothing brings about', () => {
    const error = failure(lift({ fair: [] }))
    expect(error.message).toBe('nothing brings the end about\n\n   1  close')
  })

  it('finds a key that leaves out too much, if it is strict', () => {
    const coarse = lift({ key: ({ floor, door }) => keyOf([Math.min(3, floor), door]), mustEnd: () => false })
    expect(explore(coarse).complete).toBe(true)
    expect(failure(coarse, true).message).toMatch(/^two worlds with this key differ after/)
    expect(explore(lift({ mustEnd: () => false }), { strict: true }).complete).toBe(true)
  })

  it('refuses a fair move that does not exist', () => {
    expect(() => explore(lift({ fair: ['tme'] }))).toThrow("there is no move 'tme'")
  })
})
