import type { Measure } from '../bench.ts'
import { sample } from './load.ts'
import { serveCalls, talk } from './serve-calls.ts'

export const measure: Measure = async (extras) => {
  const load = await sample('line', () => serveCalls(talk), extras.includes('profile'))
  // Loaded afterwards, so that the code that drives the browser does not count as memory of the calls.
  const { interruptToSilence } = await import('./interrupt.ts')
  const { cloneToTalk, startToTalk } = await import('./start-up.ts')
  return {
    ...load,
    interrupt: await interruptToSilence(),
    start: await startToTalk(),
    ...(extras.includes('cold') ? { cold: await cloneToTalk() } : {}),
  }
}
