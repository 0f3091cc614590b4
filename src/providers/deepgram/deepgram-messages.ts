import { checkByType } from '../vendor-message.ts'

/** The messages that are read; all others are ignored. */
export type DeepgramMessage = Results | { readonly type: 'SpeechStarted' | 'UtteranceEnd' | 'Metadata' }

export const checkDeepgram = checkByType<DeepgramMessage>({
  Results: {
    is_final: 'boolean',
    speech_final: 'boolean',
    channel: {
      alternatives: [
        {
          transcript: 'string',
          confidence: 'number',
          languages: ['id'],
          words: [
            {
              word: 'string',
              punctuated_word: 'string',
              start: 'seconds',
              end: 'seconds',
              confidence: 'number',
              speaker: 'number',
            },
          ],
        },
      ],
    },
  },
  SpeechStarted: {},
  UtteranceEnd: {},
  Metadata: {},
})

export interface Results {
  readonly type: 'Results'
  /** The transcript will not change any more. */
  readonly is_final?: boolean | undefined
  /** The transcript is final and the speaker has paused. */
  readonly speech_final?: boolean | undefined
  readonly channel?: { readonly alternatives?: readonly Alternative[] }
}

export interface Alternative {
  readonly transcript?: string
  readonly confidence?: number
  /** The languages of the words, the most frequent first. */
  readonly languages?: readonly string[] | undefined
  readonly words?: readonly Word[]
}

/** Times are in seconds from the start of the connection's audio. */
export interface Word {
  readonly word?: string
  readonly punctuated_word?: string | undefined
  readonly start?: number
  readonly end?: number
  readonly confidence?: number
  readonly speaker?: number | undefined
}

/** The control messages that are sent. */
export type DeepgramControl = 'KeepAlive' | 'Finalize' | 'CloseStream'

export const control = (type: DeepgramControl): string => JSON.stringify({ type })
