import type { ReactElement } from 'react'
import { describe, expect, expectTypeOf, it } from 'vitest'

import type { Call, CallEnd, CallState, Transcript } from '../../src/lines/websocket/client/index.ts'
import {
  CallButton,
  CallTranscript,
  CallVisualizer,
  useCall,
  type CallError,
  type CallHandle,
} from '../../src/react/index.ts'

// These tests are checked by the compiler (`npm run check:types`), with the types of a page. Their code never runs.
const types = (code: () => unknown): void => expect(code).toBeTypeOf('function')
declare const call: CallHandle

describe('a call in React', () => {
  it('takes the options of a call', () =>
    types(() => {
      expectTypeOf(useCall({ url: '/call', token: async () => 'token' })).toEqualTypeOf<CallHandle>()
      // @ts-expect-error needs a URL
      useCall({})
      // @ts-expect-error misspelt
      useCall({ url: '/call', micrphone: false })
    }))

  it('has the state of the call, and what can be done with it', () =>
    types(() => {
      expectTypeOf(call.state).toEqualTypeOf<CallState>()
      expectTypeOf(call.transcript).toEqualTypeOf<Transcript>()
      expectTypeOf(call.error).toEqualTypeOf<CallError | undefined>()
      expectTypeOf(call.end).toEqualTypeOf<CallEnd | undefined>()
      expectTypeOf(call.call).toEqualTypeOf<Call | undefined>()
      expectTypeOf(call.connect()).toEqualTypeOf<Promise<CallState>>()
      expectTypeOf(call.hangUp()).toEqualTypeOf<void>()
      // @ts-expect-error read-only
      call.muted = true
    }))
})

describe('the components', () => {
  it('take a call, and some of their words', () =>
    types(() => {
      expectTypeOf(CallButton({ call, labels: { call: 'Anrufen' } })).toEqualTypeOf<ReactElement>()
      CallTranscript({ call, names: { caller: 'Ich', agent: 'Empfang' }, announce: 'polite' })
      CallVisualizer({ call, bars: 5, className: 'small' })
      // @ts-expect-error needs a call
      CallButton({})
      // @ts-expect-error no such label
      CallButton({ call, labels: { calling: '…' } })
      // @ts-expect-error no such announcement
      CallTranscript({ call, announce: 'loud' })
    }))
})
