import type { Case } from '../case.ts'
import { hooks } from './hooks.ts'
import { models } from './models.ts'
import { output } from './output.ts'
import { races } from './races.ts'
import { stt } from './stt.ts'
import { surroundings } from './surroundings.ts'
import { toolsAndTurns } from './tools-and-turns.ts'

export const cases: readonly Case[] = [
  ...hooks,
  ...toolsAndTurns,
  ...models,
  ...stt,
  ...races,
  ...output,
  ...surroundings,
]
