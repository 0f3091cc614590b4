import type { CallErrorCode } from '../lines/websocket/client/index.ts'

const texts: Readonly<Record<string, string>> = {
  MICROPHONE_DENIED: 'The browser may not use the microphone. Allow it in the settings of the page.',
  MICROPHONE_MISSING: 'No microphone was found.',
  MICROPHONE_FAILED: 'The microphone does not work. Another program may be using it.',
  SOUND_BLOCKED: 'Click anywhere to hear the call.',
  SOUND_FAILED: 'This browser cannot play the sound of the call.',
  TOKEN_FAILED: 'You may not call now. Try again later.',
  SERVER_GONE: 'The connection was lost. Try again.',
  BUSY: 'All lines are busy. Try again later.',
  TOO_FAST: 'All lines are busy. Try again later.',
  CLOSING: 'All lines are busy. Try again later.',
}

/** Explains an error code to the caller, in English. */
export const errorText = (code: CallErrorCode): string => texts[code] ?? 'The call could not be made.'
