import type { Sample } from '../bench.ts'
import { cpuTime, heap } from '../sampling.ts'

/** Waits for a frame, or until the call ends. */
export type AwaitFrame = (frame: Promise<number>) => Promise<number>

/** The cost of waiting for a frame, and how much memory each wait keeps while the call goes on. */
export async function measureFrames(awaitFrame: AwaitFrame, count = 1_000_000): Promise<Sample> {
  await loop(awaitFrame, count / 10)
  const before = heap()
  await loop(awaitFrame, count / 10)
  const took = await cpuTime(() => loop(awaitFrame, count))
  return { frame: (took * 1_000) / count, kept: (heap() - before) / (count * 1.1) }
}

async function loop(awaitFrame: AwaitFrame, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    let arrive: (frame: number) => void = () => {}
    const waiting = awaitFrame(
      new Promise((resolve) => {
        arrive = resolve
      }),
    )
    arrive(i)
    await waiting
  }
}
