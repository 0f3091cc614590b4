/** One framework as its documentation says to use it, with models that answer at once. Each has a module of its own. */
export interface CostSubject {
  /** The URLs of the modules that a program imports. */
  readonly imports: readonly string[]
  /** The packages that a program installs. Undefined: endwell itself. */
  readonly packages?: readonly string[]
  /** The vendor whose server the sessions connect to. Undefined: the models are objects in the process. */
  readonly vendor?: VendorName
  /** Creates a session with its models, and starts it. Resolves when it is ready, and a server has confirmed its settings. */
  readonly start: (url: string) => Promise<CostSession>
}

export type VendorName = 'openai' | 'gemini'

export interface CostSession {
  /** Asks the model to reply. Resolves with the first frame of sound. */
  reply(): Promise<void>
  /** Interrupts the reply. Resolves when the framework has its output stop. */
  interrupt?(): Promise<void>
  /** Resolves when the framework reports that the session has closed, or at once if it reports nothing. */
  close(): Promise<void>
}

/** Sound in every contestant: a second of silence, as 50 frames of 20 ms at 24 kHz. */
export const RATE = 24_000
export const FRAMES = 50
export const SAMPLES_PER_FRAME = RATE / 50

/** What the model answers, and the vendor's server speaks. */
export const ANSWER = 'We are open from eight to six, from Monday to Friday.'
