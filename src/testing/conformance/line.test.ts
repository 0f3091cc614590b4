import { muLaw } from '../../audio/index.ts'
import { describe, it } from 'vitest'
import { TestLine, conformance, lineConformance, type LineSubject, type TestLineOptions } from '../index.ts'

conformance({ describe, it }, 'the test line', lineConformance, () => subjectOf())

conformance({ describe, it }, 'a slow line with latency', lineConformance, () =>
  subjectOf({ openTakes: 50, closeTakes: 200, latency: 150, lostAfter: 5_000, hears: muLaw }),
)

conformance({ describe, it }, 'a line that streams silence', lineConformance, () =>
  subjectOf({ streams: true }),
)

conformance({ describe, it }, 'a line that does not report how much was heard', lineConformance, () =>
  subjectOf({ knows: false }),
)

conformance({ describe, it }, 'a line that never confirms', lineConformance, () =>
  subjectOf({ confirms: false }),
)

conformance({ describe, it }, 'a line that confirms from inside clear()', lineConformance, () =>
  subjectOf({ marksAtOnce: true }),
)

conformance({ describe, it }, 'an avatar', lineConformance, () => {
  // An avatar stays audible for a while after closing began, so this is not checked.
  const { line, caller, ended } = subjectOf({ avatar: { lag: 800 } })
  return { line, caller, ended }
})

function subjectOf(manners: TestLineOptions = {}): LineSubject {
  const options: TestLineOptions = { ...manners }
  const line = new TestLine(options)
  return {
    line,
    caller: line.caller,
    ended: () => line.connection.endedAt !== undefined,
    audibleAfterClosing: () => line.audibleAfterClosing,
    lostAfter: options.lostAfter ?? 0,
    refuses: () => {
      options.openFails = new Error('no answer')
    },
  }
}
