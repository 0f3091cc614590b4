import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { describe, expect, expectTypeOf, it } from 'vitest'

import type { AudioFormat } from '../../src/audio/index.ts'
import type { SessionOptions } from '../../src/index.ts'
import * as rtvi from '../../src/lines/rtvi-websocket/index.ts'
import * as webRtc from '../../src/lines/webrtc/index.ts'
import * as phone from '../../src/lines/twilio/index.ts'
import * as page from '../../src/lines/websocket/index.ts'
import type { Line } from '../../src/parts/index.ts'
import type { ErrorCode, Resource, Scope } from '../../src/scope/index.ts'

// These tests are checked by the compiler (`npm run check:types`). Their code never runs.
const types = (code: () => unknown): void => expect(code).toBeTypeOf('function')
declare const scope: Scope<string>
const onCall = () => {}

describe('calls from pages', () => {
  it('need a scope and an `onCall`, and take known options only', () =>
    types(() => {
      const secret = process.env['SECRET']
      const calls = new page.WebSocketCalls({ scope, onCall, secret, origins: undefined })
      expectTypeOf(calls.size).toEqualTypeOf<number>()
      // @ts-expect-error calls belong to a scope
      const unowned: page.WebSocketCallsOptions = { onCall }
      // @ts-expect-error a call must be answered
      const unanswered: page.WebSocketCallsOptions = { scope }
      // @ts-expect-error browsers do not play 8 kHz well
      const rough: page.WebSocketCallsOptions = { scope, onCall, sampleRate: 8_000 }
      // @ts-expect-error only what comes from the environment may be undefined
      const unset: page.WebSocketCallsOptions = { scope, onCall, maxCalls: undefined }
      // @ts-expect-error misspelt
      const misspelt: page.WebSocketCallsOptions = { scope, onCall, rejoinTimout: 1_000 }
      return [calls, unowned, unanswered, rough, unset, misspelt]
    }))

  it('are answered with a line and what is known of the page', () =>
    types(() => {
      const options: page.WebSocketCallsOptions = {
        scope,
        onCall: (line, { id, data, origin }) => {
          expectTypeOf(line).toEqualTypeOf<page.WebSocketLine>()
          expectTypeOf(line).toExtend<SessionOptions['line']>()
          expectTypeOf(id).toEqualTypeOf<string>()
          // The data of a token is not validated.
          expectTypeOf(data).toEqualTypeOf<unknown>()
          expectTypeOf(origin).toEqualTypeOf<string | undefined>()
        },
      }
      return options
    }))

  it('make tokens, and take upgrades', () =>
    types((calls = {} as page.WebSocketCalls, request = {} as IncomingMessage, tcp = {} as Duplex) => {
      expectTypeOf(calls.token({ expiresIn: 60_000, data: { user: 7 } })).toEqualTypeOf<string>()
      expectTypeOf(calls.upgrade(request, tcp, Buffer.alloc(0))).toEqualTypeOf<void>()
      expectTypeOf(calls).toExtend<Resource>()
      // @ts-expect-error misspelt
      calls.token({ expires: 60_000 })
    }))

  it('are refused with stable codes', () => {
    expectTypeOf<page.RefusalCode>().toExtend<ErrorCode>()
    expectTypeOf<'TOKEN_EXPIRED'>().toExtend<page.RefusalCode>()
    expectTypeOf<'TOKEN_EXPIRD'>().not.toExtend<page.RefusalCode>()
  })
})

describe('calls from RTVI clients', () => {
  it('need a scope and an `onCall`, and take known options only', () =>
    types(() => {
      const calls = new rtvi.RtviCalls({ scope, onCall, secret: process.env['SECRET'], tools: 'names' })
      expectTypeOf(calls).toExtend<Resource>()
      // @ts-expect-error a call must be answered
      const unanswered: rtvi.RtviCallsOptions = { scope }
      // @ts-expect-error no such way to show tools
      const shown: rtvi.RtviCallsOptions = { scope, onCall, tools: 'some' }
      // @ts-expect-error a client cannot come back
      const rejoins: rtvi.RtviCallsOptions = { scope, onCall, rejoinTimeout: 1_000 }
      return [unanswered, shown, rejoins]
    }))

  it('are answered with a line that hears and speaks at different rates', () =>
    types((line = {} as rtvi.RtviLine, info = {} as rtvi.RtviCallInfo) => {
      expectTypeOf(line).toExtend<SessionOptions['line']>()
      expectTypeOf(info.data).toEqualTypeOf<unknown>()
    }))

  it('are started for clients that the application has admitted', () =>
    types((calls = {} as rtvi.RtviCalls, request = {} as IncomingMessage) => {
      const started = calls.start({ headers: request.headers, data: { customer: 7 } })
      expectTypeOf(started).resolves.toEqualTypeOf<rtvi.StartAnswer>()
      expectTypeOf<'BUSY'>().toExtend<rtvi.StartRefusal>()
      expectTypeOf<rtvi.RtviRefusal>().toExtend<ErrorCode>()
    }))
})

describe('calls over WebRTC', () => {
  it('need a scope and an `onCall`, and reach clients as their options say', () =>
    types(() => {
      const iceServers = (): webRtc.IceServer[] => [
        webRtc.turnServer({ urls: 'turn:a.example', secret: 'b' }),
      ]
      const calls = new webRtc.WebRtcCalls({ scope, onCall, iceServers, ports: [50_000, 50_999] })
      expectTypeOf(calls).toExtend<Resource>()
      expectTypeOf<webRtc.WebRtcLine>().toExtend<SessionOptions['line']>()
      expectTypeOf<webRtc.OfferRefusal>().toExtend<ErrorCode>()
      // @ts-expect-error a call must be answered
      const unanswered: webRtc.WebRtcCallsOptions = { scope }
      // @ts-expect-error two ports
      const ports: webRtc.WebRtcCallsOptions = { scope, onCall, ports: [50_000] }
      return [unanswered, ports]
    }))
})

describe('calls from phones', () => {
  it('need a scope and an `onCall`, and take known options only', () =>
    types(() => {
      const { AUTH_TOKEN: authToken, PUBLIC_URL: publicUrl } = process.env
      const calls = new phone.TwilioCalls({ scope, onCall, authToken, publicUrl, carrier: 'telnyx' })
      // @ts-expect-error a call must be answered
      const unanswered: phone.TwilioCallsOptions = { scope }
      // @ts-expect-error no such carrier
      const unknown: phone.TwilioCallsOptions = { scope, onCall, carrier: 'vonage' }
      // @ts-expect-error no such beginning
      const begins: phone.TwilioCallsOptions = { scope, onCall, beginsWith: 'upgrade' }
      // @ts-expect-error only what comes from the environment may be undefined
      const unset: phone.TwilioCallsOptions = { scope, onCall, path: undefined }
      return [calls, unanswered, unknown, begins, unset]
    }))

  it('are answered with a line at 8 kHz and the numbers of both ends', () =>
    types(() => {
      const options: phone.TwilioCallsOptions = {
        scope,
        onCall: (line, { from, details }) => {
          expectTypeOf(line).toEqualTypeOf<phone.TwilioLine>()
          expectTypeOf(line.answered).toEqualTypeOf<boolean>()
          expectTypeOf(from).toEqualTypeOf<string | undefined>()
          expectTypeOf(details['StirVerstat']).toEqualTypeOf<string | undefined>()
          // @ts-expect-error read-only
          details['From'] = '+49'
        },
      }
      return options
    }))

  it('say whether they took a request', () =>
    types((calls = {} as phone.TwilioCalls) => {
      expectTypeOf(calls.request({} as IncomingMessage, {} as never)).toEqualTypeOf<boolean>()
      expectTypeOf(calls.concerns({ url: undefined })).toEqualTypeOf<boolean>()
    }))

  it('call a number, and report how that went', () =>
    types((calls = {} as phone.TwilioCalls) => {
      const attempt = calls.dial({ to: '+4930123456', from: '+15550100', machines: 'hang-up' })
      expectTypeOf(attempt).toEqualTypeOf<phone.Dial>()
      expectTypeOf(attempt.cancel()).toEqualTypeOf<Promise<phone.DialReport>>()
      expectTypeOf<phone.DialReport['outcome']>().toEqualTypeOf<phone.DialOutcome>()
      // @ts-expect-error from which number?
      calls.dial({ to: '+4930123456' })
      // @ts-expect-error parameters are texts
      calls.dial({ to: '+4930123456', from: '+15550100', parameters: { order: 17 } })
    }))
})

describe('a line to a caller', () => {
  it('is a line for a session', () => {
    expectTypeOf<page.WebSocketLine>().toExtend<Line>()
    expectTypeOf<phone.TwilioLine>().toExtend<Line>()
    expectTypeOf<phone.TwilioLine['hears']>().toEqualTypeOf<AudioFormat>()
  })

  it('comes from a call, and cannot be made', () =>
    types(() => {
      // @ts-expect-error only a type is exported
      const browser = page.WebSocketLine
      // @ts-expect-error only a type is exported
      const line = phone.TwilioLine
      return [browser, line]
    }))

  it('fails with errors that both kinds of lines share', () => {
    expectTypeOf<phone.LineTakenError>().toEqualTypeOf<page.LineTakenError>()
    expectTypeOf<phone.CallerGoneError['code']>().toEqualTypeOf<ErrorCode>()
    expectTypeOf<page.PageMisbehavedError['code']>().toEqualTypeOf<ErrorCode>()
  })
})
