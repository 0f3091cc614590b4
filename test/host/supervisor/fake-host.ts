import { Supervisor } from '../../../src/host/supervisor/supervisor.ts'

// A supervisor in a process of its own, for tests that kill it. Its argument is the file of the workers. Prints a line of
// JSON for each worker that is ready.

const [entry = ''] = process.argv.slice(2)
const supervisor = await Supervisor.start({
  calls: { entry, execArgv: [] },
  workers: 3,
  closeTimeout: 300,
  journal: { orphan: () => Promise.resolve(0), leave: () => Promise.resolve() },
  listener: { ready: (worker, address) => console.log(JSON.stringify({ worker, address })) },
})
process.exitCode = await supervisor.ended
