import { afterEach, describe, it } from 'vitest'
import { conformance } from '../../src/testing/index.ts'
import { onFastStage, type RealWires } from './real-wires.ts'
import { pageSubject, phoneSubject, real, simulated } from './rule-subjects.ts'
import { lineRules } from './rules.ts'

conformance({ describe, it }, 'the browser line, on simulated sockets', lineRules, pageSubject(simulated))
conformance({ describe, it }, 'the phone line, on simulated sockets', lineRules, phoneSubject(simulated))

describe('on real sockets', () => {
  const opened: RealWires[] = []
  afterEach(async () => {
    for (const wires of opened.splice(0)) await wires.close()
  })

  const browser = 'the browser line, ten times as fast'
  conformance({ describe, it }, browser, lineRules, pageSubject(real(opened)), onFastStage)
  const phone = 'the phone line, ten times as fast'
  conformance({ describe, it }, phone, lineRules, phoneSubject(real(opened)), onFastStage)
})
