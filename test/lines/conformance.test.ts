import { afterEach, describe, it } from 'vitest'
import type { TwilioCalls } from '../../src/lines/twilio/index.ts'
import { conformance, lineConformance } from '../../src/testing/index.ts'
import { rtviLine, webRtcLine, type ClientLine } from './client-lines.ts'
import { dialPhone, phoneSubjectOf, postToPhone } from './phone-subject.ts'
import { RealWires, onFastStage } from './real-wires.ts'
import { rtviSubjectOf } from './rtvi-subject.ts'
import { SimWires } from './sim-wires.ts'
import { dialPage, subjectOf } from './subject.ts'

conformance({ describe, it }, 'the browser line, on simulated sockets', lineConformance, (stage) =>
  subjectOf(stage, (calls) => {
    const wires = new SimWires(stage, dialPage(calls))
    return { platform: wires, url: 'ws://localhost/call', vanish: () => wires.vanish() }
  }),
)

conformance({ describe, it }, 'the phone line, on simulated sockets', lineConformance, (stage) =>
  phoneSubjectOf(stage, (calls) => ({
    platform: new SimWires(stage, dialPhone(calls)),
    post: postToPhone(calls),
  })),
)

conformance({ describe, it }, 'the line for RTVI clients, on simulated sockets', lineConformance, (stage) =>
  rtviSubjectOf(stage, rtviLine, ({ dial }) => ({
    wires: new SimWires(stage, dial),
    url: 'ws://localhost:4600',
  })),
)

conformance({ describe, it }, 'the WebRTC line, on simulated connections', lineConformance, (stage) =>
  rtviSubjectOf(stage, webRtcLine, ({ dial }) => ({
    wires: new SimWires(stage, dial),
    url: 'ws://localhost:4600',
  })),
)

/** How long a clear may take, by the fast clock: 50 turns of the event loop. A line that keeps playing takes longer. */
const DELAY = 500

describe('on real sockets', () => {
  const open: RealWires[] = []
  afterEach(async () => {
    for (const wires of open.splice(0)) await wires.close()
  })

  // This check waits for a minute.
  const checks = lineConformance.filter(({ name }) => !name.startsWith('emits once that the caller is lost'))

  conformance(
    { describe, it },
    'the browser line, ten times as fast',
    checks,
    async (stage) => {
      let calls: Parameters<Parameters<typeof subjectOf>[1]>[0] | undefined
      const wires = await RealWires.listen(stage.clock, {
        upgrade: (...upgrade) => calls!().upgrade(...upgrade),
      })
      open.push(wires)
      return subjectOf(stage, (own) => {
        calls = own
        return { platform: wires, url: `${wires.url}/call`, vanish: () => wires.vanish(), delay: DELAY }
      })
    },
    onFastStage,
  )

  conformance(
    { describe, it },
    'the phone line, ten times as fast',
    checks,
    async (stage) => {
      let calls: TwilioCalls | undefined
      const wires = await RealWires.listen(stage.clock, {
        upgrade: (...upgrade) => calls!.upgrade(...upgrade),
        request: (...request) => calls!.request(...request),
        headers: () => ({}),
      })
      open.push(wires)
      return phoneSubjectOf(stage, (own) => {
        calls = own()
        return { platform: wires, post: wires.post, delay: DELAY }
      })
    },
    onFastStage,
  )

  conformance(
    { describe, it },
    'the line for RTVI clients, ten times as fast',
    checks,
    async (stage) => {
      let line: ClientLine | undefined
      const wires = await RealWires.listen(stage.clock, {
        upgrade: (...upgrade) => line!.upgrade(...upgrade),
      })
      open.push(wires)
      return rtviSubjectOf(stage, rtviLine, (own) => {
        line = own
        return { wires, url: wires.url, delay: DELAY }
      })
    },
    onFastStage,
  )
})
