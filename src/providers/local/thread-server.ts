import { parentPort, workerData } from 'node:worker_threads'
import type { FromThread, ToThread } from './thread-messages.ts'

/** Processes one input and emits any number of outputs. It may block, because the thread is its own. */
export type Process<Input, Output> = (
  input: Input,
  emit: (output: Output, transfer?: readonly ArrayBuffer[]) => void,
) => void | Promise<void>

/** An error of the set-up with details for the code that started the thread. */
export class SetUpError extends Error {
  readonly detail: unknown

  constructor(message: string, detail: unknown) {
    super(message)
    this.detail = detail
  }
}

/** Runs in a worker thread: sets up, reports that it is ready, and processes inputs one after the other. */
export async function serve<Input, Output>(
  setUp: (data: unknown) => Promise<Process<Input, Output>>,
): Promise<void> {
  const port = parentPort
  if (!port) throw new Error('this file must run in a worker thread')
  const post = (message: FromThread<Output>, transfer: readonly ArrayBuffer[] = []): void =>
    port.postMessage(message, [...transfer])
  const attempt = async (id: number, work: () => void | Promise<void>): Promise<void> => {
    try {
      await work()
      post({ type: 'done', id })
    } catch (error) {
      const detail = error instanceof SetUpError ? error.detail : undefined
      post({ type: 'failed', id, message: error instanceof Error ? error.message : String(error), detail })
    }
  }
  await attempt(0, async () => {
    const process = await setUp(workerData)
    let last = Promise.resolve()
    port.on('message', ({ id, input }: ToThread<Input>) => {
      const work = (): void | Promise<void> =>
        process(input, (output, transfer) => post({ type: 'output', id, output }, transfer))
      last = last.then(() => attempt(id, work))
    })
  })
}
