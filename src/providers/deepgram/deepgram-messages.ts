/** What is read of Deepgram's messages. Others are passed over. */
export type DeepgramMessage = Results | { readonly type: 'UtteranceEnd' } | { readonly type: 'Metadata' }

export interface Results {
  readonly type: 'Results'
  /** These words will not change any more. */
  readonly is_final?: boolean | undefined
  /** And the speaker has paused after them. */
  readonly speech_final?: boolean | undefined
  readonly channel?: { readonly alternatives?: readonly { readonly transcript?: string }[] }
}

/** What is sent besides audio. */
export type DeepgramControl = 'KeepAlive' | 'Finalize' | 'CloseStream'

export const control = (type: DeepgramControl): string => JSON.stringify({ type })
