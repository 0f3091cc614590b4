import { createOpenAI } from 'ai-sdk-openai-2'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { conformance, llmConformance, onHurriedStage } from '../../../src/testing/index.ts'
import { Chat, subjectOf } from './fixture.ts'

let chat: Chat

beforeAll(async () => {
  chat = await Chat.listen()
})

afterAll(() => chat.server.close())

conformance(
  { describe, it },
  'an AI SDK model of version 2',
  llmConformance,
  subjectOf(
    () => chat,
    (settings) => createOpenAI(settings).chat('any'),
  ),
  onHurriedStage(5),
)
