import { RTCPeerConnection } from 'werift'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Connection } from '../../src/lines/webrtc/connection.ts'
import { limits } from '../../src/lines/webrtc/limits.ts'

it('[WR6] a connection that does not end is given up, so that its thread and the other calls in it go on', async () => {
  const closing = vi.spyOn(RTCPeerConnection.prototype, 'close').mockReturnValue(new Promise(() => {}))
  vi.useFakeTimers()
  onTestFinished(async () => {
    vi.useRealTimers()
    const [left] = closing.mock.contexts as unknown as RTCPeerConnection[]
    closing.mockRestore()
    await left!.close()
  })
  const emitted: object[] = []
  const network = { addresses: ['127.0.0.1'], ports: undefined, iceServers: [] }
  const connection = new Connection(network, (message) => emitted.push(message))
  connection.close()
  await vi.advanceTimersByTimeAsync(limits.endPatience - 1)
  expect(emitted).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(emitted).toEqual([{ type: 'gone', how: 'closed', reason: 'this server closed the connection' }])
})

it.each([
  ['setRemoteDescription', 'invalid'],
  ['createAnswer', 'dropped'],
] as const)('[WR3] an offer is blamed only if it cannot be read: %s fails', async (step, how) => {
  const failing = vi.spyOn(RTCPeerConnection.prototype, step).mockRejectedValue(new SyntaxError('no'))
  onTestFinished(() => failing.mockRestore())
  const client = new RTCPeerConnection({})
  client.addTransceiver('audio')
  const { sdp } = await client.createOffer()
  const emitted: object[] = []
  const network = { addresses: ['127.0.0.1'], ports: undefined, iceServers: [] }
  const gone = new Promise<void>((resolve) => {
    const connection = new Connection(network, (message) => {
      emitted.push(message)
      resolve()
    })
    connection.answer(sdp).catch((error: unknown) => connection.fail(error))
  })
  await gone
  expect(emitted).toEqual([{ type: 'gone', how, reason: 'no' }])
  await client.close()
})

it('[WR3] an offer is answered without candidates of ICE servers that do not answer in time', async () => {
  const client = new RTCPeerConnection({})
  client.addTransceiver('audio')
  const { sdp } = await client.createOffer()
  vi.useFakeTimers()
  const emitted: { readonly type: string }[] = []
  const silent = { urls: 'turn:127.0.0.1:9?transport=udp', username: 'u', credential: 'c' }
  const network = { addresses: ['127.0.0.1'], ports: undefined, iceServers: [silent] }
  const connection = new Connection(network, (message) => emitted.push(message))
  onTestFinished(async () => {
    vi.useRealTimers()
    connection.close()
    await client.close()
  })
  const answered = connection.answer(sdp)
  await vi.advanceTimersByTimeAsync(limits.gathering)
  await answered
  expect(emitted.map(({ type }) => type)).toEqual(['answer'])
})
