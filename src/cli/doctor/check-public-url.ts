import { listen } from '../../host/index.ts'
import { newKey } from '../../lines/index.ts'
import { EndwellError, Scope, systemClock } from '../../scope/index.ts'
import { ok, runCheck, skipped, wrong, type Finding } from './finding.ts'

export interface PublicPlace {
  readonly port: number
  readonly host: string
  readonly publicUrl: string | undefined
}

/** How long the public URL may take to answer, in milliseconds. */
const TIMEOUT = 5_000

/**
 * Checks that the port is free, and that requests to the public URL arrive at it: listens there for a moment, and answers
 * `/healthz` with a random text. If a host runs there already, asks that one.
 */
export async function checkPublicUrl({ port, host, publicUrl }: PublicPlace): Promise<Finding[]> {
  const scope = new Scope<string>('doctor', { closeTimeout: 1_000 })
  // Port 0 is any free port: nothing could forward to it.
  let expected = port === 0 ? undefined : newKey()
  try {
    const portFinding = await runCheck('port', async () => {
      try {
        const app = { fetch: () => new Response(`${expected}\n`) }
        await listen({ scope, app, port, host })
        return ok(`${port === 0 ? 'any' : port} is free on ${host}`)
      } catch (error) {
        if (!(error instanceof EndwellError) || error.code !== 'PORT_IN_USE') throw error
        if ((await answerAt(`http://127.0.0.1:${port}`)) !== 'ok') throw error
        expected = 'ok'
        return ok(`a host answers at ${port} of ${host} already`)
      }
    })
    const urlFinding = await runCheck('public URL', async () => {
      if (publicUrl === undefined) return skipped('not set: carriers and other machines need one')
      if (expected === undefined || portFinding.state === 'wrong') return skipped('not checked: see port')
      const answer = await answerAt(publicUrl)
      if (answer === expected) return ok(`${publicUrl} leads to this machine`)
      const found = answer === undefined ? 'does not answer' : 'is answered by another program'
      return wrong(`${publicUrl} ${found}: have its proxy forward requests to port ${port} of this machine`)
    })
    return [portFinding, urlFinding]
  } finally {
    await scope.close()
  }
}

/** What `/healthz` answers. Undefined without an answer. */
async function answerAt(url: string): Promise<string | undefined> {
  const late = new AbortController()
  const timer = systemClock.after(TIMEOUT, `an answer of ${url}`, () => late.abort())
  try {
    const response = await fetch(`${url}/healthz`, { signal: late.signal })
    return (await response.text()).slice(0, 1_000).trim()
  } catch {
    return undefined
  } finally {
    timer.clear()
  }
}
