import type { Measure } from '../bench.ts'
import { sample } from './sample.ts'

export const measure: Measure = () => sample('sqlite')
