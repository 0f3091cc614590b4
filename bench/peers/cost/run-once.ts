import { writeSync } from 'node:fs'
import type { CostSubject } from './cost-subject.ts'

// One call in a process that does nothing else: the agent speaks, is interrupted, and the session closes. No process.exit().
const { subject } = (await import(process.argv[2]!)) as { subject: CostSubject }
const session = await subject.start(process.argv[3]!)
const ready = performance.now()
await session.reply()
await session.interrupt?.()
await session.close()
writeSync(1, JSON.stringify({ ready, closedAt: Date.now() }))
