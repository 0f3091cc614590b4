import type { SimClock } from '../sim-clock.ts'
import type { SimRandom } from '../sim-random.ts'

/** How the servers on other machines behave in a call. */
export type ServerTrouble = 'never answer' | 'answer after 20 s' | 'break the connection' | 'answer with 500'

/** Makes the answer of a server on another machine. */
export type AnswerFetch = (request: Request) => Response | Promise<Response>

/** Milliseconds that a healthy answer takes. */
const TAKES = [200, 1_200] as const
const SLOW = 20_000

/** Plays the servers on other machines: requests are answered in virtual time, and not sent. */
export class Servers {
  readonly #random: SimRandom
  readonly #make: AnswerFetch
  readonly #trouble: ServerTrouble | undefined

  constructor(random: SimRandom, make: AnswerFetch | undefined, trouble: ServerTrouble | undefined) {
    this.#random = random
    this.#make = make ?? (() => Response.json({}))
    this.#trouble = trouble
  }

  async answer(request: Request, clock: SimClock): Promise<Response> {
    const { signal } = request
    const takes = this.#trouble === 'answer after 20 s' ? SLOW : this.#random.int(...TAKES)
    await untilAborted(signal, (done) => {
      if (this.#trouble === 'never answer') return () => {}
      const timer = clock.happen(takes, `${new URL(request.url).host} answers`, done)
      return () => timer.clear()
    })
    if (this.#trouble === 'break the connection')
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      })
    if (this.#trouble === 'answer with 500') return new Response('Internal Server Error', { status: 500 })
    return this.#make(request)
  }
}

/** Resolves when `begin` calls back. Rejects as `fetch` does, and stops waiting, when the signal aborts. */
function untilAborted(signal: AbortSignal, begin: (done: () => void) => () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error)
    const abort = (): void => {
      stop()
      reject(signal.reason as Error)
    }
    const stop = begin(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    })
    signal.addEventListener('abort', abort, { once: true })
    return undefined
  })
}
