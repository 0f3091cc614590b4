import { parentPort } from 'node:worker_threads'
import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters, RtpHeader, RtpPacket } from 'werift'
import { OpusDecoder, OpusEncoder } from '../../src/lines/webrtc/opus.ts'

// The floor: werift and opusscript, and nothing else. Decodes each packet, and encodes it again.
const port = parentPort!
const connections = new Map<number, RTCPeerConnection>()

interface Request {
  /** Number of the connection. Zero ends the thread. */
  readonly id: number
  readonly sdp?: string
  readonly candidates?: readonly { candidate: string; sdp_mid: string; sdp_mline_index: number }[]
}

port.on('message', ({ id, sdp, candidates }: Request) => {
  if (id === 0) process.exit()
  if (sdp !== undefined) return void connect(id, sdp)
  for (const { candidate, sdp_mid: sdpMid, sdp_mline_index: sdpMLineIndex } of candidates ?? [])
    connections
      .get(id)
      ?.addIceCandidate({ candidate, sdpMid, sdpMLineIndex })
      .catch(() => {})
  return undefined
})

/** From 16 to 24 kHz, as cheaply as possible. */
const stretched = (samples: Int16Array): Int16Array =>
  new Int16Array(480).map((_, n) => samples[Math.floor((n * 2) / 3)] ?? 0)

async function connect(id: number, sdp: string): Promise<void> {
  const pc = new RTCPeerConnection({
    codecs: {
      audio: [new RTCRtpCodecParameters({ mimeType: 'audio/opus', clockRate: 48_000, channels: 2 })],
      video: [new RTCRtpCodecParameters({ mimeType: 'video/VP8', clockRate: 90_000 })],
    },
    iceUseIpv4: false,
    iceUseIpv6: false,
    iceAdditionalHostAddresses: ['127.0.0.1'],
    iceInterfaceAddresses: { udp4: '127.0.0.1' },
  })
  connections.set(id, pc)
  await pc.setRemoteDescription({ type: 'offer', sdp })
  for (const transceiver of pc.getTransceivers()) {
    if (transceiver.kind !== 'audio') {
      transceiver.setDirection('inactive')
      continue
    }
    transceiver.setDirection('sendrecv')
    await transceiver.sender.replaceTrack(new MediaStreamTrack({ kind: 'audio' }))
    const [decoder, encoder] = [new OpusDecoder(16_000), new OpusEncoder(24_000)]
    let sequence = 0
    const echo = (track: MediaStreamTrack): void => {
      track.onReceiveRtp.subscribe(({ header: { timestamp }, payload }) => {
        const samples = decoder.decode(payload)
        if (!samples) return
        const header = new RtpHeader({ sequenceNumber: sequence++, timestamp, payloadType: 111 })
        transceiver.sender.sendRtp(new RtpPacket(header, encoder.encode(stretched(samples)))).catch(() => {})
      })
    }
    for (const track of transceiver.receiver.tracks) echo(track)
    transceiver.onTrack.subscribe(echo)
  }
  await pc.setLocalDescription(await pc.createAnswer())
  port.postMessage({ id, sdp: pc.localDescription!.sdp }, [])
}
