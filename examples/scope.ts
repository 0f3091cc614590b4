import { Scope } from 'endwell'
import { formatReport } from 'endwell/report'
import { systemClock } from 'endwell/scope'

const scope = new Scope('call', {
  closeTimeout: 500,
  taskCap: 150,
  onLate: ({ name, outcome, value }) => console.log(`late: ${name} ${outcome}: ${String(value)}`),
})

// A task. A close cancels it, and waits until it has unwound.
scope.spawn('poll', async ({ sleep }) => {
  for (;;) await sleep(20)
})

// A task that ignores its signal. Nothing can stop it, and a close waits for it only until a deadline.
scope.spawn('look up order', () => slowDatabase())

// A resource: anything with close(signal) and abort(). The other side of this one never answers.
scope.own('transcriber', {
  close: () => new Promise(() => {}),
  abort: () => console.log('transcriber: cut'),
})

// Work that runs at the close.
scope.defer('save transcript', async () => console.log('transcript: saved'))

const report = await scope.close({ reason: 'caller hung up' })
console.log(formatReport(report))

function slowDatabase(): Promise<string> {
  return new Promise((resolve) => {
    systemClock.after(700, 'slow database', () => resolve('order 7'))
  })
}
