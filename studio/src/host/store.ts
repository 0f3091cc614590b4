import { computed, signal } from '@preact/signals'
import type { FaultInfo, HostInfo, ListMessage, SessionSummary } from '../../../src/host/wire/index.ts'
import { ApiError, read, send } from './api.ts'
import { Feed } from './feed.ts'

/** The page's connection to the host. `unauthorised`: the host wants its secret. */
export type HostConnection = 'connecting' | 'online' | 'offline' | 'unauthorised'

export const connection = signal<HostConnection>('connecting')
export const info = signal<HostInfo | undefined>(undefined)
/** The version of the agent that has begun to answer since the page was opened. Undefined once it was noted. */
export const newVersion = signal<number | undefined>(undefined)
export const faults = signal<readonly FaultInfo[]>([])

/** Newest first. Undefined until the host has sent the list. */
export const sessions = signal<readonly SessionSummary[] | undefined>(undefined)
/** The names of the faults that are on. */
export const faultsOn = computed(() => faults.value.filter(({ on }) => on).map(({ name }) => name))

export const liveCount = computed(() => sessions.value?.filter(({ state }) => state !== 'closed').length ?? 0)

/** The most sessions the page keeps; the host keeps fewer. */
const MAX_SESSIONS = 500

let feed: Feed<ListMessage> | undefined

/** Connects to the host. Called again after a login. */
export function connect(): void {
  feed?.stop()
  feed = new Feed<ListMessage>('api/events', {
    message: received,
    online: () => {
      connection.value = 'online'
      loadInfo().catch(failed)
    },
    offline: failed,
  })
}

export const retry = (): void => feed?.retry()

async function loadInfo(): Promise<void> {
  const before = info.value?.generation
  info.value = await read<HostInfo>('api/info')
  const { generation } = info.value
  if (before !== undefined && generation !== before) newVersion.value = generation
  faults.value = info.value.faults
  document.title = `${info.value.name} · endwell studio`
}

function failed(error: unknown): void {
  connection.value = error instanceof ApiError && error.status === 401 ? 'unauthorised' : 'offline'
}

function received(message: ListMessage): void {
  if (message.type === 'sessions') sessions.value = message.sessions
  else if (message.type === 'faults') faults.value = message.faults
  else if (message.type === 'moved') feed?.reconnect()
  else {
    const { session } = message
    const known = sessions.value ?? []
    const index = known.findIndex(({ id }) => id === session.id)
    sessions.value = index < 0 ? [session, ...known].slice(0, MAX_SESSIONS) : known.with(index, session)
  }
}

export async function logIn(secret: string): Promise<void> {
  await send('POST', 'api/login', { secret })
  connection.value = 'connecting'
  connect()
}

/** Turns one fault on or off. The host sends the new state to every page. */
export async function switchFault(name: string, on: boolean): Promise<void> {
  const others = faults.value.filter((fault) => fault.on && fault.name !== name).map((fault) => fault.name)
  await send('PUT', 'api/faults', { names: on ? [...others, name] : others })
}

export async function switchOffFaults(): Promise<void> {
  await send('PUT', 'api/faults', { names: [] })
}
