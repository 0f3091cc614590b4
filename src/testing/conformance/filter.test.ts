import { describe, it } from 'vitest'
import { muLaw, pcm } from '../../audio/index.ts'
import { ScriptedFilter, conformance, filterConformance, type ScriptedFilterOptions } from '../index.ts'

conformance({ describe, it }, 'the scripted filter', filterConformance, () => scripted())

conformance({ describe, it }, 'a slow filter of several formats', filterConformance, () =>
  scripted({ openTakes: 50, closeTakes: 200, takes: 20, hears: [pcm(48_000), muLaw] }),
)

function scripted(manners: ScriptedFilterOptions = {}) {
  const options: ScriptedFilterOptions = { ...manners }
  return {
    filter: new ScriptedFilter(options),
    refuses: () => {
      options.openFails = new Error('no model file')
    },
  }
}
