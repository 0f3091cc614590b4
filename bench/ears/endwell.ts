import { ScriptedDialogue } from '../../src/providers/local/index.ts'
import { systemClock, systemRandom } from '../../src/scope/index.ts'
import { partContext } from '../../src/testing/index.ts'
import { clinic } from '../../test/fixtures/clinic.ts'
import type { Measure } from '../bench.ts'
import { recognition } from '../local/recognition.ts'

export const measure: Measure = async () => {
  const { scope } = partContext({ clock: systemClock, random: systemRandom })
  try {
    return await recognition(scope, new ScriptedDialogue(clinic).phrases)
  } finally {
    await scope.close()
  }
}
