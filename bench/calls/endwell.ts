import type { Measure } from '../bench.ts'
import { sample } from './load.ts'
import { serveCalls, talk } from './serve-calls.ts'

export const measure: Measure = async (extras) => {
  const load = await sample('line', () => serveCalls(talk))
  // Loaded after that: what drives a browser is nobody's call.
  const { interruptToSilence } = await import('./interrupt.ts')
  const { cloneToTalk, startToTalk } = await import('./start-up.ts')
  return {
    ...load,
    interrupt: await interruptToSilence(),
    start: await startToTalk(),
    ...(extras.includes('cold') ? { cold: await cloneToTalk() } : {}),
  }
}
