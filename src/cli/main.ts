#!/usr/bin/env node
import { nodeProblem } from './node-version.ts'

// Everything else is loaded after this check: older versions of Node cannot even load it.
const problem = nodeProblem(process.versions.node)
if (problem === undefined) await (await import('./endwell.ts')).endwell(process.argv.slice(2))
else {
  console.error(problem)
  process.exitCode = 1
}
