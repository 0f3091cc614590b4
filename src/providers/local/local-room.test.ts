import { availableParallelism } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import { hasLocalRoom, localThreads } from './local-room.ts'

const cores = availableParallelism()
const before = { ...localThreads }
afterEach(() => void Object.assign(localThreads, before))

describe('room for local models', () => {
  it('[LN12] is there while few threads are starting and running', () => {
    expect(hasLocalRoom()).toBe(true)
    Object.assign(localThreads, { starting: 4 * cores - 1, running: 0 })
    expect(hasLocalRoom()).toBe(true)
  })

  it('[LN12] is not there while the threads that are starting take all cores', () => {
    Object.assign(localThreads, { starting: 4 * cores, running: 0 })
    expect(hasLocalRoom()).toBe(false)
  })

  it('[LN12] is not there when as many threads run as the cores can serve', () => {
    Object.assign(localThreads, { starting: 0, running: 24 * cores })
    expect(hasLocalRoom()).toBe(false)
  })
})
