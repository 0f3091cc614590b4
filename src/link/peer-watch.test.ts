import { describe, expect, it } from 'vitest'
import { Registry, type Clock } from '../scope/index.ts'
import { PeerWatch } from './peer-watch.ts'

/** A clock whose timers fire when the test says so, possibly late, as after a blocked thread. */
function manualClock() {
  let now = 0
  const timers: (() => void)[] = []
  const clock: Clock = {
    now: () => now,
    date: () => now,
    timers: new Registry(),
    after: (_ms, _name, callback) => {
      timers.push(callback)
      return { clear: () => void timers.splice(timers.indexOf(callback), 1) }
    },
  }
  return {
    clock,
    fireAt: (ms: number): void => {
      now = ms
      timers.shift()?.()
    },
  }
}

function watching() {
  const log: string[] = []
  const { clock, fireAt } = manualClock()
  const watch = new PeerWatch(clock, 'stt', { pong: 5_000, answer: 8_000 }, (reason, ms) => {
    log.push(`silent: ${reason}, ${ms}`)
  })
  watch.start({ ping: () => log.push('ping') })
  fireAt(4_000)
  expect(log.splice(0)).toEqual(['ping'])
  return { watch, log, fireAt }
}

describe('the watch over a peer', () => {
  it('[LK11] does not blame the peer for a blocked thread, whose sockets are read after its timers', () => {
    const { watch, log, fireAt } = watching()
    watch.expectAnswer()
    fireAt(60_000)
    watch.message()
    fireAt(60_500)
    expect(log).toEqual([])
  })

  it('[LK11] still notices silence after the thread was blocked', () => {
    const { log, fireAt } = watching()
    fireAt(60_000)
    fireAt(60_500)
    expect(log).toEqual(['silent: no pong within 5000 ms, 60500'])
  })

  it('[LK11] does not blame the peer for an answer that is no longer expected', () => {
    const { watch, log, fireAt } = watching()
    watch.alive()
    watch.expectAnswer()
    watch.expectNothing()
    fireAt(8_000)
    watch.alive()
    fireAt(12_000)
    expect(log).toEqual(['ping', 'ping'])
  })

  it('[LK11] counts the silence from the last message, not from the last pong', () => {
    const { watch, log, fireAt } = watching()
    watch.alive()
    fireAt(8_000)
    fireAt(13_000)
    expect(log).toEqual(['ping', 'silent: no pong within 5000 ms, 13000'])
  })
})
