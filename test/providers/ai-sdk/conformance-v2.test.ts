import { createOpenAI } from 'ai-sdk-openai-2'
import { testConformance } from './fixture.ts'

testConformance(2, (settings) => createOpenAI(settings).chat('any'))
