import { checkByType } from '../vendor-message.ts'

/** The messages that are read; all others are ignored. */
export type DeepgramMessage = Results | { readonly type: 'UtteranceEnd' } | { readonly type: 'Metadata' }

export const checkDeepgram = checkByType<DeepgramMessage>({
  Results: {
    is_final: 'boolean',
    speech_final: 'boolean',
    channel: { alternatives: [{ transcript: 'string' }] },
  },
  UtteranceEnd: {},
  Metadata: {},
})

export interface Results {
  readonly type: 'Results'
  /** The transcript will not change any more. */
  readonly is_final?: boolean | undefined
  /** The transcript is final and the speaker has paused. */
  readonly speech_final?: boolean | undefined
  readonly channel?: { readonly alternatives?: readonly { readonly transcript?: string }[] }
}

/** The control messages that are sent. */
export type DeepgramControl = 'KeepAlive' | 'Finalize' | 'CloseStream'

export const control = (type: DeepgramControl): string => JSON.stringify({ type })
