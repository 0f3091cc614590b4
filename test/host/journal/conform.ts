import { describe, it } from 'vitest'
import { conformance, onRealStage, type Make, type OnStage } from '../../../src/testing/index.ts'
import {
  dialChecks,
  lostCallChecks,
  upkeepChecks,
  workChecks,
  writeChecks,
  type JournalSubject,
} from '../../../src/testing/journal-conformance/index.ts'

/** Runs all checks for a journal. */
export function conform(make: Make<JournalSubject>, onStage: OnStage = onRealStage): void {
  conformance({ describe, it }, 'writes', writeChecks, make, onStage)
  conformance({ describe, it }, 'lost calls', lostCallChecks, make, onStage)
  conformance({ describe, it }, 'work', workChecks, make, onStage)
  conformance({ describe, it }, '[DI4] dials', dialChecks, make, onStage)
  conformance({ describe, it }, 'upkeep', upkeepChecks, make, onStage)
}
