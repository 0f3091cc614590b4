import { createOpenAI } from '@ai-sdk/openai'
import { testConformance } from './fixture.ts'

testConformance(3, (settings) => createOpenAI(settings).chat('any'))
