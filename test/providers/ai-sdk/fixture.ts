import { afterAll, beforeAll, describe, it } from 'vitest'
import {
  conformance,
  llmConformance,
  onFastStage,
  type LlmSubject,
  type Make,
} from '../../../src/testing/index.ts'
import { AiSdkLlm, type LanguageModel } from '../../../src/providers/ai-sdk/index.ts'
import type { LlmChunk } from '../../../src/parts/index.ts'
import {
  ChatServer,
  LoopbackServer,
  type ChatStep,
  type LoopbackOptions,
} from '../../../src/testing/servers/index.ts'

export const KEY = 'sk-loopback-0123456789'

/** The settings that all versions of the vendor's package have. */
export interface Settings {
  readonly baseURL: string
  readonly apiKey: string
}

/** Makes the chat model of one version of the vendor's package. */
export type MakeModel = (settings: Settings) => LanguageModel

/** A loopback server with an exchangeable chat server. */
export class Chat {
  chat = new ChatServer({ key: KEY })
  readonly server: LoopbackServer

  private constructor(server: LoopbackServer) {
    this.server = server
  }

  static async listen(): Promise<Chat> {
    const http: LoopbackOptions['http'] = (request, response) => all.chat.http(request, response)
    const all: Chat = new Chat(await LoopbackServer.listen({ http }))
    return all
  }

  get settings(): Settings {
    return { baseURL: this.chat.urlAt(this.server), apiKey: KEY }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close()
  }
}

/** Runs the conformance suite for one version. */
export function testConformance(version: number, model: MakeModel): void {
  let server: Chat
  beforeAll(async () => {
    server = await Chat.listen()
  })
  afterAll(() => server.server.close())
  conformance(
    { describe, it },
    `an AI SDK model of version ${version}`,
    llmConformance,
    subjectOf(() => server, model),
    onFastStage(5),
  )
}

function subjectOf(server: () => Chat, model: MakeModel): Make<LlmSubject> {
  return () => {
    const chat = (server().chat = new ChatServer({ key: KEY }))
    return {
      llm: new AiSdkLlm(model(server().settings)),
      answers: (chunks, hangs) => {
        chat.answers([...chunks.flatMap(stepOf), ...(hangs ? [{ rude: 'stalls' } as const] : [])])
      },
      fails: (after) => {
        if (after.length === 0) chat.answers({ refuse: 500, message: 'overloaded' })
        else chat.answers([...after.flatMap(stepOf), { rude: 'drops' }])
      },
    }
  }
}

function stepOf(chunk: LlmChunk): ChatStep[] {
  if (chunk.type === 'text') return [chunk.text]
  return chunk.type === 'tool-call' ? [{ call: chunk.name, input: chunk.input, id: chunk.id }] : []
}
