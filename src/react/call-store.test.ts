import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Call, CallEvents, CallOptions, CallState } from '../lines/websocket/client/index.ts'
import { CallStore } from './call-store.ts'

/** A call whose server is the test. */
class FakeCall {
  readonly options: CallOptions
  state: CallState = 'idle'
  muted = false
  hangUps = 0
  readonly #listeners = new Map<string, (data: never) => void>()

  constructor(options: CallOptions) {
    this.options = options
  }

  on(name: string, listener: (data: never) => void): () => void {
    this.#listeners.set(name, listener)
    return () => this.#listeners.delete(name)
  }

  emit<Name extends keyof CallEvents>(name: Name, data: CallEvents[Name]): void {
    if (name === 'state') this.state = data as CallState
    this.#listeners.get(name)?.(data as never)
  }

  async connect(): Promise<CallState> {
    this.emit('state', 'connecting')
    return this.state
  }

  mute(): void {
    this.muted = true
  }

  unmute(): void {
    this.muted = false
  }

  hangUp(): void {
    this.hangUps++
    this.emit('state', 'ended')
    this.emit('ended', { reason: 'hung-up' })
  }
}

function aStore() {
  const calls: FakeCall[] = []
  const store = new CallStore({ url: '/call' }, (options) => {
    calls.push(new FakeCall(options))
    return calls.at(-1) as unknown as Call
  })
  return { store, calls }
}

beforeEach(() => {
  vi.stubGlobal('addEventListener', vi.fn())
  vi.stubGlobal('removeEventListener', vi.fn())
})
afterEach(() => {
  vi.unstubAllGlobals()
})

describe('the calls of a component', () => {
  it('[UI1] are made one at a time, with the newest options', async () => {
    const { store, calls } = aStore()
    store.mount()
    await store.connect()
    await store.connect()
    expect(calls).toHaveLength(1)
    store.hangUp()
    store.options = { url: '/other' }
    await store.connect()
    expect(calls.map(({ options }) => options.url)).toEqual(['/call', '/other'])
  })

  it('[UI1] show their state, error and end, and the next call starts without them', async () => {
    const { store, calls } = aStore()
    const seen: string[] = []
    store.subscribe(() => seen.push(store.snapshot().state))
    store.mount()
    await store.connect()
    calls[0]!.emit('error', { code: 'BUSY' })
    expect(store.snapshot().error).toEqual({ code: 'BUSY', message: 'All lines are busy. Try again later.' })
    calls[0]!.emit('state', 'ended')
    calls[0]!.emit('ended', { reason: 'refused', code: 'BUSY' })
    expect(store.snapshot()).toMatchObject({ state: 'ended', end: { reason: 'refused' } })
    await store.connect()
    expect(store.snapshot()).toMatchObject({ state: 'connecting', error: undefined, end: undefined })
    expect(seen).toEqual(['connecting', 'connecting', 'ended', 'ended', 'connecting'])
  })

  it('keep the microphone muted from one call to the next', async () => {
    const { store, calls } = aStore()
    store.mount()
    store.mute()
    await store.connect()
    expect([calls[0]!.muted, store.snapshot().muted]).toEqual([true, true])
    store.unmute()
    expect(calls[0]!.muted).toBe(false)
  })

  it('[UI2] end once when the component unmounts, and no call is made after that', async () => {
    const { store, calls } = aStore()
    const unmount = store.mount()
    await store.connect()
    unmount()
    await Promise.resolve()
    expect(calls[0]!.hangUps).toBe(1)
    expect(await store.connect()).toBe('ended')
    expect(calls).toHaveLength(1)
  })

  it('[UI2] survive that React mounts the component twice', async () => {
    const { store, calls } = aStore()
    const unmount = store.mount()
    await store.connect()
    unmount()
    store.mount()
    await Promise.resolve()
    expect(calls[0]!.hangUps).toBe(0)
    expect(store.snapshot().state).toBe('connecting')
  })
})
