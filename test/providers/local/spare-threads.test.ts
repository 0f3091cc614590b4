import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LocalTts } from '../../../src/providers/local/local-tts.ts'
import { WorkerThread } from '../../../src/providers/local/worker-thread.ts'
import { systemClock, systemRandom, type Scope } from '../../../src/scope/index.ts'
import { partContext } from '../../../src/testing/index.ts'

const started: Worker[] = []
const note = (worker: Worker): void => void started.push(worker)

beforeEach(() => {
  started.length = 0
  process.on('worker', note)
})
afterEach(() => void process.off('worker', note))

/** Opens a voice, and has it speak. Its speed is part of its set-up. */
async function open(speed: number): Promise<Scope<string>> {
  const context = partContext({ clock: systemClock, random: systemRandom })
  const tts = new LocalTts({ speed })
  const voice = await tts.open(context)
  let frames = 0
  for await (const { frame } of voice.speak(words(), context.scope.signal)) frames += frame.samples.length
  expect(frames).toBeGreaterThan(1_000)
  return context.scope
}

async function* words(): AsyncGenerator<string> {
  yield 'Yes.'
}

const exit = (worker: Worker): Promise<unknown> => new Promise((resolve) => worker.once('exit', resolve))

describe('an idle thread of a local model', () => {
  it('is kept for the next call with the same set-up', async () => {
    for (let calls = 0; calls < 3; calls++) await (await open(1.01)).close()
    expect(started).toHaveLength(1)
  })

  it('is not used by two calls at once', async () => {
    await (await open(1.02)).close()
    const calls = [await open(1.02), await open(1.02)]
    expect(started).toHaveLength(2)
    for (const call of calls) await call.close()
  })

  it('is not used by a call with another set-up, and ends when that call leaves its own thread', async () => {
    await (await open(1.03)).close()
    const other = await open(1.04)
    expect(started).toHaveLength(2)
    const ended = exit(started[0]!)
    await other.close()
    await ended
  })

  it('stays when the call that has left it closes it again', async () => {
    const context = partContext({ clock: systemClock, random: systemRandom })
    const data = { voice: 'en-us', wordsPerMinute: 107 }
    const options = { name: 'voice', file: 'espeak-thread', data, stateless: true } as const
    const thread = await WorkerThread.open(context.scope, options)
    await thread.close()
    await thread.close()
    const [worker] = started
    expect(worker!.threadId).toBeGreaterThan(0)
    await context.scope.close()
    expect(worker!.threadId).toBeGreaterThan(0)
  })

  it('is replaced if it has died', async () => {
    await (await open(1.05)).close()
    const ended = exit(started[0]!)
    await started[0]!.terminate()
    await ended
    const scope = await open(1.05)
    expect(started).toHaveLength(2)
    await scope.close()
  })

  it('ends with its call if that is aborted', async () => {
    const scope = await open(1.06)
    const ended = exit(started[0]!)
    scope.abort()
    await ended
  })
})
