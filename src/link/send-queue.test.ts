import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SendQueue } from './send-queue.ts'

const drain = (queue: SendQueue): unknown[] => {
  const taken: unknown[] = []
  queue.flush((data) => {
    taken.push(data)
    return true
  })
  return taken
}

describe('the send queue of a link', () => {
  it('[LK10] keeps its limits and its order, drops only audio, and counts what it drops', () => {
    const steps = fc.array(fc.oneof(fc.constant('audio'), fc.constant('control'), fc.nat(3)), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(fc.nat(4), fc.nat(4), steps, (maxAudio, maxControl, sequence) => {
        const queue = new SendQueue(maxAudio, maxControl)
        // A naive implementation of the same rules.
        let model: { readonly data: string; readonly audio: boolean }[] = []
        let dropped = 0
        for (const [index, step] of sequence.entries()) {
          const data = `${step} ${index}`
          if (step === 'audio') {
            queue.pushAudio(data)
            model.push({ data, audio: true })
            if (model.filter(({ audio }) => audio).length > maxAudio) {
              model.splice(
                model.findIndex(({ audio }) => audio),
                1,
              )
              dropped++
            }
          } else if (step === 'control') {
            const room = model.filter(({ audio }) => !audio).length < maxControl
            expect(queue.pushControl(data)).toBe(room)
            if (room) model.push({ data, audio: false })
          } else {
            const taken: unknown[] = []
            queue.flush((each) => taken.length < step && taken.push(each) > 0)
            expect(taken).toEqual(model.slice(0, step).map((each) => each.data))
            model = model.slice(step)
          }
          expect([queue.size, queue.dropped]).toEqual([model.length, dropped])
        }
        expect(drain(queue)).toEqual(model.map(({ data }) => data))
        expect(queue.size).toBe(0)
      }),
      { numRuns: 300 },
    )
  })

  it('[LK10] counts audio that is discarded at the end', () => {
    const queue = new SendQueue(5, 5)
    queue.pushAudio('a')
    queue.pushControl('c')
    queue.clear()
    expect([queue.size, queue.dropped, drain(queue)]).toEqual([0, 1, []])
  })
})
