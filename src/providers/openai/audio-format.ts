import { aLaw, muLaw, pcm, type AudioFormat, type Encoding } from '../../audio/index.ts'
import type { WireFormat } from '../openai-realtime/events.ts'

/** The formats of the service, both ways. On the phone, G.711 needs no conversion. */
export const formats: readonly AudioFormat[] = [pcm(24_000), muLaw, aLaw]

const wireFormats: Readonly<Record<Encoding, WireFormat>> = {
  pcm: { type: 'audio/pcm', rate: 24_000 },
  mulaw: { type: 'audio/pcmu' },
  alaw: { type: 'audio/pcma' },
}

export const wireFormatOf = ({ encoding }: AudioFormat): WireFormat => wireFormats[encoding]
