import { join } from 'node:path'
import { inject } from 'vitest'
import type { Program } from './compile-programs.ts'

/** The path of a program that was compiled for this run of the tests. */
export const compiled = (program: Program): string => join(inject('programs'), `${program}.js`)

/** The built package as this run of the tests has installed it. The compiled agents import it. */
export const installedPackage = (): string => join(inject('programs'), 'node_modules', 'endwell')
