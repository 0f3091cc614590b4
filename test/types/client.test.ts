import { describe, expect, expectTypeOf, it } from 'vitest'

import {
  Call,
  type CallEnd,
  type CallErrorCode,
  type CallEvents,
  type CallOptions,
  type CallState,
  type Ticket,
  type TranscriptEntry,
} from '../../src/lines/websocket/client/index.ts'

// These tests are checked by the compiler (`npm run check:types`), with the types of a page. Their code never runs.
const types = (code: () => unknown): void => expect(code).toBeTypeOf('function')
declare const call: Call

describe('a call from a page', () => {
  it('needs a URL, and takes known options only', () =>
    types(() => {
      const options: CallOptions = {
        url: '/call',
        token: async () => 'token',
        microphone: { echoCancellation: true },
        ticket: undefined,
      }
      // @ts-expect-error where to call is missing
      const nowhere: CallOptions = {}
      // @ts-expect-error misspelt
      const misspelt: CallOptions = { url: '/call', microfone: false }
      // @ts-expect-error a token is text
      const bytes: CallOptions = { url: '/call', token: new Uint8Array(32) }
      // @ts-expect-error only a ticket may be undefined: there is none before the first call
      const quiet: CallOptions = { url: '/call', sound: undefined }
      return [new Call(options), nowhere, misspelt, bytes, quiet]
    }))

  it('is in one of five states, which only the call changes', () =>
    types(() => {
      expectTypeOf<CallState>().toEqualTypeOf<'idle' | 'connecting' | 'live' | 'rejoining' | 'ended'>()
      expectTypeOf(call.connect()).toEqualTypeOf<Promise<CallState>>()
      expectTypeOf(call.id).toEqualTypeOf<string | undefined>()
      expectTypeOf(call.output).toEqualTypeOf<AudioNode | undefined>()
      // @ts-expect-error read-only
      call.state = 'ended'
      // @ts-expect-error `mute()` mutes
      call.muted = true
      // @ts-expect-error no such state
      return call.state === 'closed'
    }))

  it('can be rejoined with a ticket, which survives JSON', () =>
    types(() => {
      expectTypeOf(call.ticket).toEqualTypeOf<Ticket | undefined>()
      expectTypeOf<Ticket>().toExtend<Readonly<Record<keyof Ticket, string | number>>>()
      const { ticket } = call
      return new Call({ url: '/call', ticket })
    }))
})

describe('the events of a call', () => {
  it('have known names only, and each its own data', () =>
    types(() => {
      call.on('state', (state) => expectTypeOf(state).toEqualTypeOf<CallState>())
      call.on('level', (level) => expectTypeOf(level).toEqualTypeOf<number>())
      call.on('speaking', (speaking) => expectTypeOf(speaking).toEqualTypeOf<boolean>())
      call.on('transcript', ({ entries, interim }) => {
        expectTypeOf(entries).toEqualTypeOf<readonly TranscriptEntry[]>()
        expectTypeOf(interim).toEqualTypeOf<string>()
      })
      call.on('rejoining', ({ within }) => expectTypeOf(within).toEqualTypeOf<number>())
      call.on('ended', (end) => expectTypeOf(end).toEqualTypeOf<CallEnd>())
      call.on('error', ({ code, cause }) => {
        expectTypeOf(code).toEqualTypeOf<CallErrorCode>()
        expectTypeOf(cause).toEqualTypeOf<unknown>()
      })
      expectTypeOf(call.on('ended', () => {})).toEqualTypeOf<() => void>()
      // @ts-expect-error misspelt
      call.on('endded', () => {})
      // @ts-expect-error data of another event
      call.on('state', ({ reason }) => reason)
      expectTypeOf<keyof CallEvents>().toEqualTypeOf<
        'state' | 'level' | 'speaking' | 'transcript' | 'rejoining' | 'ended' | 'error'
      >()
    }))

  it('name why the call has ended', () =>
    types((end = {} as CallEnd) => {
      expectTypeOf(end.reason).toEqualTypeOf<
        'hung-up' | 'ended' | 'unanswered' | 'closing' | 'replaced' | 'refused' | 'lost'
      >()
      // @ts-expect-error no such reason
      if (end.reason === 'hangup') return
      // @ts-expect-error read-only
      end.reason = 'lost'
    }))

  it('may have codes that a newer server has added', () => {
    expectTypeOf<'BUSY'>().toExtend<CallErrorCode>()
    expectTypeOf<string>().toExtend<CallErrorCode>()
    expectTypeOf<number>().not.toExtend<CallErrorCode>()
  })
})
