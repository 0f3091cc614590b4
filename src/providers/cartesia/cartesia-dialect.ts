import type { Protocol } from '../../link/index.ts'
import type { SpokenWord } from '../../parts/index.ts'
import type { ContextDialect, ContextMessage } from '../context-dialect.ts'
import { wordsOf } from '../spoken-words.ts'
import {
  checkCartesia,
  type Cancel,
  type CartesiaMessage,
  type Generation,
  type Timestamps,
  type VoiceSettings,
} from './cartesia-messages.ts'

/** Cartesia's messages: pieces of text with `continue: true`, and an empty one with `continue: false` at the end. */
export function cartesiaDialect(
  request: Protocol['request'],
  settings: VoiceSettings,
  stallTimeout: number,
): ContextDialect<CartesiaMessage> {
  const generate = (context_id: string, transcript: string, more: boolean): string => {
    const generation: Generation = { ...settings, context_id, transcript, continue: more }
    return JSON.stringify(generation)
  }
  return {
    request,
    stallTimeout,
    check: checkCartesia,
    text: (context, text) => generate(context, text, true),
    end: (context) => [generate(context, '', false)],
    cancel: (context) => [JSON.stringify({ context_id: context, cancel: true } satisfies Cancel)],
    read,
    classify: ({ how, code }) => (how === 'closed' && code === 1000 ? 'idle' : undefined),
  }
}

function read(message: CartesiaMessage): ContextMessage {
  const { context_id: context } = message
  switch (message.type) {
    case 'chunk':
      return { context, audio: message.data ?? '' }
    case 'timestamps':
      return { context, words: readWords(message) }
    case 'done':
      return { context, done: true }
    case 'error': {
      const { message: text = message.title, status_code: status } = message
      return { context, error: { message: text, status } }
    }
    default:
      return {}
  }
}

function readWords({ word_timestamps }: Timestamps): SpokenWord[] {
  const { words, start, end } = word_timestamps ?? {}
  return wordsOf(words, start, end)
}
