import { afterEach, describe, it } from 'vitest'
import { conformance } from '../../src/testing/index.ts'
import { onFastStage, type RealWires } from './real-wires.ts'
import { rtviLine, webRtcLine } from './client-lines.ts'
import { clientSubject, pageSubject, phoneSubject, real, simulated } from './rule-subjects.ts'
import { finalLineRules, lineRules } from './rules.ts'

conformance({ describe, it }, 'the browser line, on simulated sockets', lineRules, pageSubject(simulated))
conformance({ describe, it }, 'the phone line, on simulated sockets', lineRules, phoneSubject(simulated))
conformance(
  { describe, it },
  'the line for RTVI clients, on simulated sockets',
  finalLineRules,
  clientSubject(rtviLine, simulated),
)
conformance(
  { describe, it },
  'the WebRTC line, on simulated connections',
  finalLineRules,
  clientSubject(webRtcLine, simulated),
)

describe('on real sockets', () => {
  const opened: RealWires[] = []
  afterEach(async () => {
    for (const wires of opened.splice(0)) await wires.close()
  })

  const browser = 'the browser line, ten times as fast'
  conformance({ describe, it }, browser, lineRules, pageSubject(real(opened)), onFastStage)
  const phone = 'the phone line, ten times as fast'
  conformance({ describe, it }, phone, lineRules, phoneSubject(real(opened)), onFastStage)
  const rtvi = 'the line for RTVI clients, ten times as fast'
  // A client whose network is silent cannot be made of a socket that answers pings by itself: see rtvi-sockets.test.ts.
  const rules = finalLineRules.filter(({ name }) => !name.startsWith('[LN2]'))
  conformance({ describe, it }, rtvi, rules, clientSubject(rtviLine, real(opened)), onFastStage)
})
