import type { Realtime, Stt } from '../parts/index.ts'
import type { Models } from '../session/index.ts'

/** Wraps the STT or the realtime model. `onOpen` receives a function that breaks its connection. */
export function breakable(models: Models, onOpen: (breakConnection: () => void) => void): Models {
  const broken = (): Error => new Error('the connection was broken on purpose')
  if (models.realtime) {
    const { realtime } = models
    const { name, product, hears, speaks, writes = false } = realtime
    const open: Realtime['open'] = (context, setup, events) => {
      onOpen(() => events.failed(broken()))
      return realtime.open(context, setup, events)
    }
    return { realtime: { name, product, hears, speaks, writes, open } }
  }
  const { stt } = models
  if (!stt) return models
  const { name, product, hears, endsTurns = false } = stt
  const open: Stt['open'] = (context, events, setup) => {
    onOpen(() => events.failed(broken()))
    return stt.open(context, events, setup)
  }
  return { ...models, stt: { name, product, hears, endsTurns, open } }
}
