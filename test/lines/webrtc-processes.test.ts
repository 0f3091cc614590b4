import { afterEach, describe, expect, it } from 'vitest'
import type { SignalRequest, WebRtcCallsOptions } from '../../src/lines/webrtc/index.ts'
import { codeOf } from './werift-client.ts'
import { WebRtcStage } from './webrtc-fixture.ts'

const offer = { type: 'offer', sdp: 'v=0', pc_id: null }
const candidates = [{ candidate: '', sdp_mid: '0', sdp_mline_index: 0 }]

/** Requests are passed on over a function. `test/cli/webrtc-processes` has real processes. */
describe('one of several processes that take calls over WebRTC', () => {
  let stage: WebRtcStage
  let passed: [method: string, process: string | undefined][]
  afterEach(() => stage.close())

  const open = async (options: Partial<WebRtcCallsOptions> = {}): Promise<void> => {
    passed = []
    const passOn = async ({ method }: SignalRequest, process: string | undefined) => {
      passed.push([method, process])
      return process === 'gone' ? undefined : { status: 200, body: '{"status":"passed on"}' }
    }
    stage = await WebRtcStage.open({ otherProcesses: { own: 'one', passOn }, ...options })
  }

  const started = async (): Promise<string> => {
    const answer = await stage.calls.start({ headers: {}, data: undefined })
    if ('refused' in answer) throw new Error(answer.refused)
    const { endpoint } = (answer.connection as { webrtcRequestParams: { endpoint: string } })
      .webrtcRequestParams
    return `${stage.url}${endpoint.slice(endpoint.indexOf('/api'))}`
  }

  it('[WR9] passes on every request about a connection of another one, and answers those about its own', async () => {
    await open()
    const client = stage.client()
    const request = { ...offer, candidates }
    for (const method of ['POST', 'PATCH', 'DELETE'] as const) {
      expect((await client.sends(method, { ...request, pc_id: 'a.two' })).body).toEqual({
        status: 'passed on',
      })
      expect(codeOf(await client.sends(method, { ...request, pc_id: 'a.gone' }))).toBe('404 CALL_GONE')
      expect(codeOf(await client.sends(method, { ...request, pc_id: 'a.one' }))).toBe('404 CALL_GONE')
    }
    expect(passed).toEqual(
      ['POST', 'PATCH', 'DELETE'].flatMap((method) => [
        [method, 'two'],
        [method, 'gone'],
      ]),
    )
  })

  it('[WR9] passes on an offer that it has no room for only if the token is good, because a place is kept for it elsewhere', async () => {
    let hasRoom = true
    await open({ hasRoom: () => hasRoom, hasRoomElsewhere: async () => true, secret: 's'.repeat(32) })
    const url = await started()
    hasRoom = false
    expect((await stage.client({ url }).sends('POST', offer)).body).toEqual({ status: 'passed on' })
    for (const token of ['', 'x', 'x'.repeat(5_000)]) {
      const stranger = stage.client({ url: `${stage.url}/api/offer?token=${token}` })
      expect(codeOf(await stranger.sends('POST', offer))).toBe('401 TOKEN_INVALID')
    }
    expect(codeOf(await stage.client().sends('POST', offer))).toBe('401 UNAUTHORISED')
    expect(passed).toEqual([['POST', undefined]])
  })
})
