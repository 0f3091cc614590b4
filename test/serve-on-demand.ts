import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface OnDemand {
  /** Answers with what `start` returned. */
  readonly url: string
  /** Stops answering. Resolves with what was started, if anything was. */
  readonly close: () => Promise<string | undefined>
}

/** Starts something for all test processes of a run, when the first of them asks for it with `askFor`. */
export async function serveOnDemand(start: () => Promise<string>): Promise<OnDemand> {
  let started: Promise<string> | undefined
  const server = createServer((_, response) => {
    started ??= start()
    started.then(
      (answer) => response.end(answer),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      return started?.catch(() => undefined)
    },
  }
}

/** Asks for what a global setup of the tests serves. Throws if it could not be started. */
export async function askFor(url: string): Promise<string> {
  const response = await fetch(url)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}
