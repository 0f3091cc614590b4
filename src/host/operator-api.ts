import type { Fleet } from './fleet/fleet.ts'
import type { RetryQuery } from './fleet/operations.ts'
import { choiceIn, limitIn, readFields, refuse, textIn, type HostHttp } from './answers.ts'

const workStates = ['waiting', 'running', 'done', 'dead'] as const

/** The part of the API for operators: hosts, draining, and after-call work, of all that share the journal (HO30). */
export function addOperations(app: HostHttp, { operations }: Fleet): void {
  app.get('/api/hosts', async (context) =>
    context.json({ own: operations.own, hosts: await operations.hosts() }),
  )
  app.post('/api/drain', async (context) => {
    const body = await readFields(context, ['host'])
    if (body instanceof Response) return body
    const host = body.host ?? operations.own
    if (typeof host !== 'string') return refuse(context, 400, 'BAD_REQUEST', 'send { "host": "…" }, or {}')
    if (await operations.drain(host)) return context.json({ host }, 202)
    return refuse(context, 404, 'NO_SUCH_HOST', `there is no host '${host}'`)
  })
  app.get('/api/work', async (context) => {
    const state = choiceIn(context, 'state', workStates)
    const call = textIn(context, 'call')
    return context.json(
      await operations.work({
        ...limitIn(context),
        ...(state === undefined ? {} : { state }),
        ...(call === '' ? {} : { call }),
      }),
    )
  })
  app.post('/api/work/retry', async (context) => {
    const body = await readFields(context, ['key', 'call', 'dead'])
    if (body instanceof Response) return body
    const query = retryQuery(body)
    if (!query)
      return refuse(
        context,
        400,
        'BAD_REQUEST',
        'send one of { "key": "…" }, { "call": "…" }, { "dead": true }',
      )
    return context.json({ retried: await operations.retry(query) })
  })
}

function retryQuery(body: Readonly<Record<string, unknown>>): RetryQuery | undefined {
  const [first, ...others] = Object.entries(body)
  if (!first || others.length > 0) return undefined
  const [name, value] = first
  if (name === 'dead') return value === true ? { dead: true } : undefined
  if (typeof value !== 'string') return undefined
  return name === 'key' ? { key: value } : { call: value }
}
