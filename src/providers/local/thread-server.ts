import { parentPort, workerData } from 'node:worker_threads'
import type { FromThread, ToThread } from './thread-messages.ts'

/** Answers one question, in as many pieces as it likes. It may block: it has the thread for itself. */
export type Answerer<Question, Answer> = (
  question: Question,
  answer: (answer: Answer, transfer?: readonly ArrayBuffer[]) => void,
) => void

/** What stands in an error besides its message, for whoever started the thread. */
export class SetUpError extends Error {
  readonly detail: unknown

  constructor(message: string, detail: unknown) {
    super(message)
    this.detail = detail
  }
}

/** Runs in a worker thread: sets up, says that it is ready, and answers questions one after the other. */
export async function serve<Question, Answer>(
  setUp: (data: unknown) => Promise<Answerer<Question, Answer>>,
): Promise<void> {
  const port = parentPort
  if (!port) throw new Error('this file runs in a worker thread')
  const tell = (message: FromThread<Answer>, transfer: readonly ArrayBuffer[] = []): void =>
    port.postMessage(message, [...transfer])
  const attempt = async (id: number, work: () => void | Promise<void>): Promise<void> => {
    try {
      await work()
      tell({ type: 'done', id })
    } catch (error) {
      const detail = error instanceof SetUpError ? error.detail : undefined
      tell({ type: 'failed', id, message: error instanceof Error ? error.message : String(error), detail })
    }
  }
  await attempt(0, async () => {
    const answerer = await setUp(workerData)
    port.on('message', ({ id, question }: ToThread<Question>) => {
      attempt(id, () =>
        answerer(question, (answer, transfer) => tell({ type: 'answer', id, answer }, transfer)),
      ).catch(() => {})
    })
  })
}
