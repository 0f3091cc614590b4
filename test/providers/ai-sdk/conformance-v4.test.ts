import { createOpenAI } from 'ai-sdk-openai-4'
import { testConformance } from './fixture.ts'

testConformance(4, (settings) => createOpenAI(settings).chat('any'))
