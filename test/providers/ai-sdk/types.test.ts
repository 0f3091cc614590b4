import type { OpenAIProvider as Version3 } from '@ai-sdk/openai'
import type { OpenAIProvider as Version2 } from 'ai-sdk-openai-2'
import type { OpenAIProvider as Version4 } from 'ai-sdk-openai-4'
import { describe, expectTypeOf, it } from 'vitest'
import type { CallOptions, LanguageModel, StreamPart } from '../../../src/providers/ai-sdk/index.ts'

type Models = {
  v2: ReturnType<Version2['chat']>
  v3: ReturnType<Version3['chat']>
  v4: ReturnType<Version4['chat']>
}
type Version = keyof Models
type OptionsOf<V extends Version> = Parameters<Models[V]['doStream']>[0]
type PartOf<V extends Version> =
  Awaited<ReturnType<Models[V]['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never
/** The stream parts of a version that are read. */
type ReadPartOf<V extends Version> = Extract<PartOf<V>, { type: StreamPart['type'] }>

// These are checked by the compiler; there is nothing to do at run time.
describe('the types of the AI SDK', () => {
  it('accept our options in every version', () => {
    expectTypeOf<CallOptions>().toExtend<OptionsOf<'v2'>>()
    expectTypeOf<CallOptions>().toExtend<OptionsOf<'v3'>>()
    expectTypeOf<CallOptions>().toExtend<OptionsOf<'v4'>>()
  })

  it('have stream parts that we can read in every version', () => {
    expectTypeOf<ReadPartOf<'v2'>>().toExtend<StreamPart>()
    expectTypeOf<ReadPartOf<'v3'>>().toExtend<StreamPart>()
    expectTypeOf<ReadPartOf<'v4'>>().toExtend<StreamPart>()
  })

  it('have every stream part that we read', () => {
    expectTypeOf<StreamPart['type']>().toExtend<PartOf<'v2'>['type']>()
    expectTypeOf<StreamPart['type']>().toExtend<PartOf<'v3'>['type']>()
    expectTypeOf<StreamPart['type']>().toExtend<PartOf<'v4'>['type']>()
  })

  it('have models that match our interface in every version', () => {
    expectTypeOf<Models[Version]>().toExtend<LanguageModel>()
  })
})
