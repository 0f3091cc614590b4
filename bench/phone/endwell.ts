import type { Measure } from '../bench.ts'
import { sample } from '../calls/load.ts'
import { talk } from '../calls/serve-calls.ts'
import { lineDelay } from './delay.ts'
import { servePhone } from './serve-phone.ts'

export const measure: Measure = async () => {
  const load = await sample('phone', () => servePhone(talk))
  return { ...load, calls: 100 / load['cpu']!, sound: await lineDelay() }
}
