// The process in which a hunt runs the agent's code: `endwell hunt` starts it, and ends it if that code blocks it.
import { huntAgent } from './hunt-agent.ts'
import type { FromHunter, ToHunter } from './messages.ts'

const stop = new AbortController()
/** Taken before the agent can replace it. */
const exit = process.exit.bind(process)
let sent: Promise<void> = Promise.resolve()

process.on('message', (message: ToHunter) => {
  if (message.type === 'stop') stop.abort()
  else hunt(message).catch(() => exit(1))
})
process.on('disconnect', () => exit(1))

async function hunt({ request }: Extract<ToHunter, { readonly type: 'hunt' }>): Promise<void> {
  await huntAgent(request, stop.signal, send)
  await sent
  // What the agent's code has left behind must not keep the process alive.
  exit(0)
}

function send(message: FromHunter): void {
  sent = new Promise((resolve) => {
    process.send!(message, undefined, undefined, () => resolve())
  })
}
