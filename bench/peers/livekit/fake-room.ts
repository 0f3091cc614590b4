import { EventEmitter } from 'node:events'
import { DisconnectReason, ParticipantKind, RoomEvent } from '@livekit/rtc-node'

const writer = async () => ({ write: async () => {}, close: async () => {} })

/** A room with one caller, without media, which would go through native code. */
export class FakeRoom extends EventEmitter {
  readonly name = 'room'
  readonly isConnected = true
  readonly #caller = {
    identity: 'caller',
    attributes: {},
    info: { kind: ParticipantKind.STANDARD },
    trackPublications: new Map(),
    disconnectReason: DisconnectReason.CLIENT_INITIATED,
  }
  readonly remoteParticipants = new Map([['caller', this.#caller]])
  readonly localParticipant: object

  /** `streamText` sends a text to the room. */
  constructor({ streamText = writer }: { streamText?: () => Promise<unknown> } = {}) {
    super()
    this.localParticipant = {
      identity: 'agent',
      setAttributes: async () => {},
      streamText,
      streamBytes: writer,
      publishTranscription: async () => {},
    }
  }

  registerTextStreamHandler(): void {}
  unregisterTextStreamHandler(): void {}
  registerByteStreamHandler(): void {}
  unregisterByteStreamHandler(): void {}

  /** The caller hangs up. */
  callerLeaves(): void {
    this.remoteParticipants.clear()
    this.emit(RoomEvent.ParticipantDisconnected, this.#caller)
  }
}
