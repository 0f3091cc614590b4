export { BeepDetector, type HeardTone } from './beep-detector.ts'
export { AudioError, type AudioErrorCode } from './errors.ts'
export { aLaw, muLaw, nearestFormat, pcm, sameFormat, type AudioFormat, type Encoding } from './format.ts'
export {
  asSampleRate,
  concat,
  durationOf,
  lengthOf,
  level,
  rms,
  sampleRates,
  samplesIn,
  silence,
  silentLevel,
  type AudioFrame,
  type EncodedSound,
  type SampleRate,
} from './frame.ts'
export { Framer, type FramerOptions } from './framer.ts'
export {
  bytesOf,
  decodeALaw,
  decodeMuLaw,
  encodeALaw,
  EncodedFrame,
  encodeMuLaw,
  frameOf,
  FrameReader,
} from './g711.ts'
export { checkKeys, keyDuration, keyIn, keysHeard, keysIn, keySound, maxKeys } from './keys.ts'
export { bytesFromSamples, SampleReader, samplesFromBytes } from './pcm.ts'
export { PlayoutClock, type Heard, type PlayoutStretch } from './playout-clock.ts'
export { Resampler, type ResamplerOptions } from './resample.ts'
export {
  SendWindow,
  type HeardMark,
  type SampleType,
  type SendWindowOptions,
  type SoundClear,
  type SoundMark,
  type SoundPiece,
} from './send-window.ts'
export { dtmf, dtmfFrequencies, sine, toneLevel, type ToneOptions } from './tone.ts'
export { decodeWav, encodeWav, wavHeader, wavHeaderLength, type WavHeader, type WavSound } from './wav.ts'
