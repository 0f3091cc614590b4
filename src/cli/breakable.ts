import type { Realtime, Stt } from '../parts/index.ts'
import type { Models } from '../session/index.ts'

/** The same models, except that the connection of the one that hears can be broken: `told` is given the way to do so. */
export function breakable(models: Models, told: (breaks: () => void) => void): Models {
  const gone = (): Error => new Error('the connection was broken on purpose')
  if (models.realtime) {
    const { realtime } = models
    const { name, inputRate, outputRate } = realtime
    const open: Realtime['open'] = (context, setup, events) => {
      told(() => events.failed(gone()))
      return realtime.open(context, setup, events)
    }
    return { realtime: { name, inputRate, outputRate, open } }
  }
  const { stt } = models
  if (!stt) return models
  const { name, sampleRate, endsTurns = false } = stt
  const open: Stt['open'] = (context, events) => {
    told(() => events.failed(gone()))
    return stt.open(context, events)
  }
  return { ...models, stt: { name, sampleRate, endsTurns, open } }
}
