import { afterEach, describe, it } from 'vitest'
import { conformance, lineConformance } from '../../src/testing/index.ts'
import { RealWires, onFastStage } from './real-wires.ts'
import { SimWires } from './sim-wires.ts'
import { subjectOf } from './subject.ts'

conformance({ describe, it }, 'the browser line, on simulated sockets', lineConformance, (stage) =>
  subjectOf(stage, (calls) => {
    const wires = new SimWires(stage, calls)
    return { platform: wires, url: 'ws://localhost/call', vanish: () => wires.vanish() }
  }),
)

describe('on real sockets', () => {
  const open: RealWires[] = []
  afterEach(async () => {
    for (const wires of open.splice(0)) await wires.close()
  })

  conformance(
    { describe, it },
    'the browser line, five times as fast',
    // That one waits for a minute; real pages are gone in browser.test.ts.
    lineConformance.filter(({ name }) => !name.startsWith('tells once that the caller is gone')),
    async (stage) => {
      let calls: Parameters<Parameters<typeof subjectOf>[1]>[0] | undefined
      const wires = await RealWires.listen(stage.clock, () => calls!())
      open.push(wires)
      return subjectOf(stage, (own) => {
        calls = own
        return { platform: wires, url: wires.url, vanish: () => wires.vanish() }
      })
    },
    onFastStage,
  )
})
