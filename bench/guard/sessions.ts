import { talkingSessions, type Run } from './load.ts'

/** How the sessions of a process run: without the hooks of the guard, with the hooks only, or each in a guard. */
export type Way = 'plain' | 'unused' | 'guarded'

const bare: Run = (work) => work()

async function runsOf(way: Way): Promise<(session: number) => Run> {
  if (way === 'plain') return () => bare
  const { guard } = await import('../../src/guard/index.ts')
  await import('../../src/guard/install.ts')
  if (way === 'unused') return () => bare
  return (session) => {
    const call = guard({ name: `call ${session}` })
    return (work) => call.run(work)
  }
}

// Talks for as many milliseconds as the parent sends, and answers with the cost of a frame. Exits when the parent disconnects.
const talking = await talkingSessions(await runsOf(process.argv[2] as Way))
process.on('message', (ms: number) => {
  talking.cost(ms).then(
    (cost) => process.send!(cost),
    (error: unknown) => {
      throw error
    },
  )
})
process.once('disconnect', () => {
  talking.end()
  process.exit()
})
process.send!(0)
