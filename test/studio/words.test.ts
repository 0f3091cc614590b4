import { expect, it } from 'vitest'
import { nameText, subjectText } from '../../studio/src/shared/words.ts'

it.each([
  ['stt', 'STT'],
  ['recorder', 'recording'],
  ['speech 6', 'speaking'],
  ['reply 2', 'answering'],
  ['session s1', 'call'],
  ["speech of 'local-tts'", 'synthesis by local-tts'],
  ["timeout of tool 'book'", 'time limit of tool book'],
  ["startTimeout of 'stt'", 'time limit to open stt'],
  ["filler of tool 'book'", 'filler of tool book'],
  ['speech: playout 3', 'time limit of speaking'],
  ['tool book', 'tool book'],
  ["exit hook of 'desk'", 'exit hook of desk'],
  ['local-stt speech', 'speech detection of local-stt'],
  ['tool speech', 'tool speech'],
  ['rtvi', 'RTVI client'],
  ['webrtc', 'WebRTC'],
])('%s is shown as: %s', (name, text) => {
  expect(nameText(name)).toBe(text)
})

it.each([
  ['speech 6', 'agent’s speech'],
  ['reply 2', 'answer of the model'],
  ['browser', 'connection to the caller'],
  ['rtvi', 'connection to the caller'],
  ['closing: hang up', 'step hang up of the close'],
  ['llm', 'LLM'],
])('a sentence about %s is about the %s', (name, text) => {
  expect(subjectText(name)).toBe(text)
})
