import type { Case } from '../case.ts'
import { connections } from './connections.ts'
import { phones } from './phones.ts'
import { tools } from './tools.ts'

export const cases: readonly Case[] = [...connections, ...tools, ...phones]
