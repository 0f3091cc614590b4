import { computed, signal } from '@preact/signals'
import type { FaultInfo, HostInfo, ListMessage, SessionSummary } from '../../src/host/wire/index.ts'
import { ApiError, ask, read, send } from './api.ts'
import type { CallPlace } from './call-client.ts'
import { Feed } from './feed.ts'
import { routeOf } from './route.ts'

/** Whether the host can be reached, and lets us in. */
export type Reach = 'connecting' | 'online' | 'offline' | 'unauthorised'

export const reach = signal<Reach>('connecting')
export const info = signal<HostInfo | undefined>(undefined)
export const faults = signal<readonly FaultInfo[]>([])
export const route = signal(routeOf(location.hash))
/** What a screen reader is told. */
export const announcement = signal('')

/** The newest first. */
export const sessions = signal<readonly SessionSummary[] | undefined>(undefined)
export const liveCount = computed(() => sessions.value?.filter(({ state }) => state !== 'closed').length ?? 0)

/** Sessions that the list shows; the host keeps no more either. */
const mostSessions = 500

/** Where the host takes calls, if it does. */
export const callPlace = computed<CallPlace | undefined>(() => {
  const { call: url, callToken } = info.value ?? {}
  return url === undefined ? undefined : { url, ...(callToken ? { token } : {}) }
})

async function token(): Promise<string> {
  const response = await ask('api/call-token', { method: 'POST' })
  return ((await response.json()) as { token: string }).token
}

let feed: Feed<ListMessage> | undefined

/** Begins to follow the host; again, after a login. */
export function follow(): void {
  feed?.stop()
  feed = new Feed<ListMessage>('api/events', {
    message: listed,
    online: () => {
      reach.value = 'online'
      learn().catch(away)
    },
    offline: away,
  })
}

/** Tries now, and not in a while. */
export const retry = (): void => feed?.retry()

async function learn(): Promise<void> {
  info.value = await read<HostInfo>('api/info')
  faults.value = info.value.faults
  document.title = `${info.value.name} · endwell studio`
}

function away(error: unknown): void {
  reach.value = error instanceof ApiError && error.status === 401 ? 'unauthorised' : 'offline'
}

function listed(message: ListMessage): void {
  if (message.type === 'sessions') sessions.value = message.sessions
  else if (message.type === 'faults') faults.value = message.faults
  else {
    const { session } = message
    const known = sessions.value ?? []
    const index = known.findIndex(({ id }) => id === session.id)
    sessions.value = index < 0 ? [session, ...known].slice(0, mostSessions) : known.with(index, session)
  }
}

export async function logIn(secret: string): Promise<void> {
  await send('POST', 'api/login', { secret })
  reach.value = 'connecting'
  follow()
}

/** Switches one fault; the host tells everybody. */
export async function switchFault(name: string, on: boolean): Promise<void> {
  const others = faults.value.filter((fault) => fault.on && fault.name !== name).map((fault) => fault.name)
  await send('PUT', 'api/faults', { names: on ? [...others, name] : others })
}
