import { countWalk, type Walk } from './count.ts'
import { scenes } from './scenes.ts'
import { Trace } from './trace.ts'

export type SceneName = keyof typeof scenes

/** Walks one utterance and one close of each scene through the built code. */
export async function walkAll(names: readonly SceneName[]): Promise<Record<string, Walk>> {
  const trace = new Trace()
  const walks: Record<string, Walk> = {}
  try {
    for (const name of names) {
      const scene = await scenes[name](trace)
      // Once without being watched: what happens only at the beginning of a call is not part of the walk.
      await scene.utter()
      walks[`${name}: one utterance`] = countWalk(await trace.during(() => scene.utter()))
      walks[`${name}: one close`] = countWalk(await trace.during(() => scene.close()))
      await scene.strike()
    }
  } finally {
    trace.remove()
  }
  return walks
}
