import type { Case } from '../case.ts'
import { adk } from './adk.ts'
import { genai } from './genai.ts'

export const cases: readonly Case[] = [...genai, ...adk]
