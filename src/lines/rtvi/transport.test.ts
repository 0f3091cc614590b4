import { expect, it } from 'vitest'
import { transportOf } from './transport.ts'

it('[RV14] the request of a client says which transport it has, as far as clients of Pipecat say so', () => {
  const asked: [data: unknown, transport: string | undefined][] = [
    [undefined, undefined],
    [null, undefined],
    ['webrtc', undefined],
    [{}, undefined],
    [{ transport: 'tram', body: { transport: 'websocket' } }, undefined],
    [{ createDailyRoom: false, body: { customer: 7 } }, undefined],
    [{ transport: 'websocket', enableDefaultIceServers: true }, 'websocket'],
    [{ transport: 'webrtc', createDailyRoom: true }, 'webrtc'],
    [{ transport: 'smallwebrtc' }, 'webrtc'],
    [{ createDailyRoom: false, enableDefaultIceServers: false }, 'webrtc'],
    [{ createDailyRoom: true }, 'other'],
    [{ transport: 'daily' }, 'other'],
    [{ transport: 'livekit' }, 'other'],
  ]
  for (const [data, transport] of asked) expect(transportOf(data), JSON.stringify(data)).toBe(transport)
})
