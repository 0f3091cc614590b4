import { isIP } from 'node:net'
import {
  MediaStreamTrack,
  RTCPeerConnection,
  RTCRtpCodecParameters,
  RtpHeader,
  RtpPacket,
  type RTCDataChannel,
  type RTCIceTransport,
  type RTCRtpTransceiver,
} from 'werift'
import { describeError, systemClock } from '../../scope/index.ts'
import { isLoopback } from '../loopback.ts'
import { limits } from './limits.ts'
import { SoundIn } from './sound-in.ts'
import { SoundOut, type OutgoingPacket } from './sound-out.ts'
import type { FromThread, IceCandidate, NetworkSettings } from './thread-messages.ts'

type Emit = FromThread extends infer Each ? (Each extends unknown ? Omit<Each, 'peer'> : never) : never

/**
 * One connection to a client, in the thread that has it. Answers the offer with all candidates at once, because nothing can be sent
 * to a client afterwards. Its video is refused. Its first data channel carries messages; when that closes, the connection ends.
 */
export class Connection {
  readonly #emit: (message: Emit, transfer?: ArrayBuffer) => void
  readonly #pc: RTCPeerConnection
  #channel: RTCDataChannel | undefined
  #audio: RTCRtpTransceiver | undefined
  #in: SoundIn | undefined
  #out: SoundOut | undefined
  #candidates = 0
  #isGone = false

  constructor(
    { addresses, ports, iceServers }: NetworkSettings,
    emit: (message: Emit, transfer?: ArrayBuffer) => void,
  ) {
    this.#emit = emit
    const [first, ...others] = addresses
    this.#pc = new RTCPeerConnection({
      codecs: {
        audio: [
          new RTCRtpCodecParameters({
            mimeType: 'audio/opus',
            clockRate: 48_000,
            channels: 2,
            parameters: 'minptime=10;useinbandfec=1',
          }),
        ],
        // Without a codec, werift cannot even refuse video.
        video: [new RTCRtpCodecParameters({ mimeType: 'video/VP8', clockRate: 90_000 })],
      },
      iceServers: iceServers.flatMap(({ urls, ...rest }) =>
        (typeof urls === 'string' ? [urls] : urls).map((url) => ({ urls: url, ...rest })),
      ),
      // Only the given addresses, also if they are loopback ones.
      iceUseIpv4: false,
      iceUseIpv6: false,
      iceAdditionalHostAddresses: [...addresses],
      ...(first !== undefined && others.length === 0 && isLoopback(first)
        ? { iceInterfaceAddresses: isIP(first) === 4 ? { udp4: first } : { udp6: first } }
        : {}),
      ...(ports ? { icePortRange: [...ports] } : {}),
      maxMessageSize: limits.message,
    })
    this.#pc.onDataChannel.subscribe((channel) => this.#open(channel))
    this.#pc.connectionStateChange.subscribe((state) => {
      if (state === 'failed') this.#end('dropped', 'the connection failed: no packets arrive')
      if (state === 'closed') this.#end('closed', 'the connection was closed')
    })
  }

  /** Answers an offer. */
  async answer(offer: string): Promise<void> {
    const pc = this.#pc
    const lines = offer.split('\n').filter((line) => !line.startsWith('a=candidate') || this.#counts(line))
    try {
      await pc.setRemoteDescription({ type: 'offer', sdp: lines.join('\n') })
    } catch (error) {
      return this.#end('invalid', describeError(error).message)
    }
    for (const transceiver of pc.getTransceivers())
      if (transceiver.kind === 'audio' && !this.#audio) await this.#takeSound(transceiver)
      else transceiver.setDirection('inactive')
    if (!this.#audio) return this.#end('invalid', 'the offer has no sound')
    for (const transport of pc.iceTransports) boundGathering(transport)
    await pc.setLocalDescription(await pc.createAnswer())
    if (this.#isGone) return undefined
    return this.#emit({ type: 'answer', sdp: pc.localDescription!.sdp })
  }

  add(candidates: readonly IceCandidate[]): void {
    for (const each of candidates) {
      if (this.#isGone || !this.#counts(each.candidate)) continue
      // One that cannot be used is no reason to end the call: others may work.
      this.#pc.addIceCandidate(each).catch(() => {})
    }
  }

  send(text: string): void {
    const channel = this.#channel
    if (channel?.readyState !== 'open') return
    if (channel.bufferedAmount > limits.unread)
      return this.#end('dropped', 'the client does not read its messages')
    channel.send(text)
  }

  play(samples: Int16Array): void {
    this.#out?.push(samples)
  }

  /** Closes the connection from this end. */
  close(): void {
    this.#end('closed', 'this server closed the connection')
  }

  fail(error: unknown): void {
    this.#end('dropped', describeError(error).message)
  }

  /** Whether to use a candidate: only addresses, since a name would be looked up for whoever sends it. Packets show the address. */
  #counts(candidate: string): boolean {
    const [, , , , address = ''] = candidate.split(' ')
    return (candidate === '' || isIP(address) !== 0) && this.#candidates++ < limits.candidates
  }

  async #takeSound(transceiver: RTCRtpTransceiver): Promise<void> {
    this.#audio = transceiver
    transceiver.setDirection('sendrecv')
    await transceiver.sender.replaceTrack(new MediaStreamTrack({ kind: 'audio' }))
    transceiver.sender.onRtcp.subscribe(() => this.#reportDelay(transceiver))
    for (const track of transceiver.receiver.tracks) this.#hear(track)
    transceiver.onTrack.subscribe((track) => this.#hear(track))
  }

  #hear(track: MediaStreamTrack): void {
    this.#in ??= new SoundIn(systemClock, (samples) =>
      this.#emit({ type: 'sound', samples }, samples.buffer as ArrayBuffer),
    )
    track.onReceiveRtp.subscribe(({ header, payload }) => {
      if (this.#isGone) return
      this.#in?.push({ sequence: header.sequenceNumber, timestamp: header.timestamp, payload })
    })
  }

  /** The client has reported what it receives, now and then. */
  #reportDelay({ sender }: RTCRtpTransceiver): void {
    sender
      .getStats()
      .then((stats) => {
        for (const each of stats.values() as Iterable<{ readonly roundTripTime?: number }>)
          if (each.roundTripTime !== undefined && !this.#isGone)
            this.#emit({ type: 'delay', ms: Math.max(0, each.roundTripTime * 500) })
      })
      .catch(() => {})
  }

  /** The client's channel for messages. Further ones are ignored. */
  #open(channel: RTCDataChannel): void {
    if (this.#channel) return
    this.#channel = channel
    channel.stateChanged.subscribe((state) => {
      if (state === 'open') this.#connected()
      if (state === 'closed' || state === 'closing') this.#end('closed', 'the client closed its data channel')
    })
    channel.onMessage.subscribe((data) => {
      if (this.#isGone) return
      this.#emit({ type: 'text', text: typeof data === 'string' ? data : data.toString() })
    })
    if (channel.readyState === 'open') this.#connected()
  }

  #connected(): void {
    if (this.#out || this.#isGone) return
    this.#out = new SoundOut(systemClock, (packet) => this.#sendPacket(packet))
    this.#emit({ type: 'connected' })
    // Clients attach the sound of the agent when its first packet has arrived, which should not be its first word.
    this.#out.push(new Int16Array(480))
  }

  #sendPacket({ payload, sequence, timestamp, marker }: OutgoingPacket): void {
    const header = new RtpHeader({ sequenceNumber: sequence, timestamp, marker, payloadType: 111 })
    // Packets that cannot be sent are lost, like packets that do not arrive.
    this.#audio?.sender.sendRtp(new RtpPacket(header, payload)).catch(() => {})
  }

  #end(how: 'invalid' | 'closed' | 'dropped', reason: string): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#in?.close()
    this.#out?.close()
    let isTold = false
    const gone = (): void => {
      if (isTold) return
      isTold = true
      patience.clear()
      this.#emit({ type: 'gone', how, reason })
    }
    // A thread that never told would be ended, with all of its calls. What is left of this connection ends with the last of them.
    const patience = systemClock.after(limits.endPatience, 'end of a connection', gone)
    this.#pc.close().then(gone, gone)
  }
}

/** Has a transport go on without the candidates that STUN and TURN servers have not found in time: they may be out of reach. */
function boundGathering(transport: RTCIceTransport): void {
  const gather = transport.gather.bind(transport)
  const gatherInTime = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = systemClock.after(limits.gathering, 'candidates', resolve)
      gather()
        .catch(() => {})
        .finally(() => {
          timer.clear()
          resolve()
        })
    })
  transport.gather = gatherInTime
}
