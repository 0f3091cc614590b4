import { fork, type ChildProcess } from 'node:child_process'
import { noop, systemClock, type Timer } from '../../scope/index.ts'
import type { HuntProgress, HuntResult } from '../../testing/index.ts'
import type { FromHunter, HuntRequest, ToHunter } from './messages.ts'

/** How long the process may be silent before it counts as blocked, in milliseconds. */
export interface HunterLimits {
  readonly loading: number
  readonly playing: number
}

export const hunterLimits: HunterLimits = { loading: 60_000, playing: 20_000 }

/** How long it may take to exit after its result. */
const EXIT = 1_000
/** How long its last output may take to arrive after its exit. */
const LAST_WORDS = 100
/** Characters of its output that are kept: the last ones. */
const OUTPUT = 20_000

/** How a hunting process ended. */
export type HunterEnd =
  | { readonly how: 'result'; readonly result: HuntResult }
  | { readonly how: 'error'; readonly code: string; readonly message: string }
  /** It exited, was killed, or was ended because it was blocked. `case` is the call in progress, 0 before the first. */
  | { readonly how: 'died'; readonly case: number; readonly why: string; readonly output: string }

/** Starts a hunting process, and resolves when it has ended. */
export type Launch = (
  request: HuntRequest,
  signal: AbortSignal,
  onProgress: (progress: HuntProgress) => void,
) => Promise<HunterEnd>

/** Hunts in a process of its own, because the agent's code may block, exit or crash it. */
export const forkHunter =
  (limits: HunterLimits): Launch =>
  (request, signal, onProgress) =>
    new Promise((resolve) => {
      const hunter = new Hunter(request, limits, onProgress, (end) => {
        signal.removeEventListener('abort', stop)
        resolve(end)
      })
      const stop = (): void => hunter.stop()
      signal.addEventListener('abort', stop, { once: true })
    })

class Hunter {
  readonly #child: ChildProcess
  readonly #limits: HunterLimits
  readonly #onProgress: (progress: HuntProgress) => void
  readonly #ended: (end: HunterEnd) => void
  readonly #killAtExit = (): void => this.#kill()
  #timer: Timer | undefined
  #case = 0
  #end: HunterEnd | undefined
  #output = ''

  constructor(
    request: HuntRequest,
    limits: HunterLimits,
    onProgress: (progress: HuntProgress) => void,
    ended: (end: HunterEnd) => void,
  ) {
    this.#limits = limits
    this.#onProgress = onProgress
    this.#ended = ended
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    this.#child = fork(new URL(`./hunt-process.${extension}`, import.meta.url), {
      execArgv: extension === 'ts' ? ['--import', 'tsx'] : [],
      // A group of its own, so that processes that the agent has started can be killed with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const { stdout, stderr } = this.#child
    for (const stream of [stdout, stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-OUTPUT)
      })
    this.#child.on('message', (message: FromHunter | undefined) => this.#message(message))
    this.#child.once('exit', () => this.#exited())
    this.#child.once('close', (code, killedBy) => this.#closed(code, killedBy))
    this.#child.once(
      'error',
      (error) => (this.#end ??= { how: 'error', code: 'HUNT', message: error.message }),
    )
    process.once('exit', this.#killAtExit)
    this.#send({ type: 'hunt', request })
    this.#watch(limits.loading)
  }

  stop(): void {
    this.#send({ type: 'stop' })
  }

  #send(message: ToHunter): void {
    // A process that is gone is noticed by its exit.
    this.#child.send(message, noop)
  }

  #message(message: FromHunter | undefined): void {
    if (!message) return
    switch (message.type) {
      case 'progress':
        this.#case = message.case
        this.#watch(this.#limits.playing)
        return this.#onProgress(message)
      case 'result':
        this.#end ??= { how: 'result', result: message.result }
        return this.#watch(EXIT)
      case 'error':
        this.#end ??= { how: 'error', code: message.code, message: message.message }
        return this.#watch(EXIT)
    }
  }

  /** Ends the process if it is silent for so long. */
  #watch(ms: number): void {
    this.#timer?.clear()
    this.#timer = systemClock.after(ms, 'the hunting process is silent', () => {
      this.#end ??= this.#died(
        `did not answer for ${ms / 1_000} s, because something blocked it, and was ended`,
      )
      this.#kill()
    })
  }

  /** What the agent has started may hold the output open, which is closed then. */
  #exited(): void {
    this.#timer?.clear()
    this.#timer = systemClock.after(LAST_WORDS, 'the last output', () => {
      for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.destroy()
    })
  }

  #closed(code: number | null, killedBy: NodeJS.Signals | null): void {
    this.#timer?.clear()
    process.off('exit', this.#killAtExit)
    // What the agent has started may live on.
    this.#kill()
    const how = killedBy === null ? `exited with ${code}` : `was ended by ${killedBy}`
    this.#ended(this.#end ?? this.#died(how))
  }

  #died(why: string): HunterEnd {
    return { how: 'died', case: this.#case, why, output: this.#output.trim() }
  }

  #kill(): void {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // The whole group is gone.
    }
  }
}
