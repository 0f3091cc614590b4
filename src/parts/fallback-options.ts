/** How a fallback treats its models. */
export interface FallbackOptions {
  /** The names of its models, unless set. */
  readonly name?: string
  /** How long a model may take to open and to give its first chunk before the next one is tried: 5 s unless set. */
  readonly firstWithin?: number
  /** How long after its failure a model is tried in the background: 5 s unless set, doubled each time. */
  readonly probeAfter?: number
  /** How often that is done: 6 times unless set, so for about five minutes. A probe of a hosted model costs money. */
  readonly probes?: number
  /** Called for each change, after it was logged. */
  readonly onChange?: (change: FallbackChange) => void
}

export interface FallbackSttOptions extends FallbackOptions {
  /** How much of the sound since the last final text the next model gets to hear again: 5 s at most unless set. */
  readonly replay?: number
}

/**
 * What happened to a model.
 * - `failed`: it is not used until a probe has found it well, or all others have failed, too
 * - `recovered`: it is used again
 * - `given-up`: no probe has found it well; it is only used when all others have failed
 */
export interface FallbackChange {
  readonly type: 'failed' | 'recovered' | 'given-up'
  readonly model: string
  /** Its place in the list. */
  readonly index: number
  readonly error?: unknown
}
