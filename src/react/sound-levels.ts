import type { Call } from '../lines/websocket/client/index.ts'

/** Samples per spectrum. */
const FFT_SIZE = 1_024
/** The highest frequency of the bars, in Hz. A voice has little above it. */
const HIGHEST = 4_000
/** Milliseconds between two drawings for people who do not want motion. */
const CALM = 500

/**
 * Measures the sound of a live call, and calls back with the height of each bar, from 0 to 1, whenever the screen is drawn:
 * the agent's spectrum if the agent is audible, otherwise the level of the microphone. Returns a function that stops it.
 */
export function drawSound(call: Call, bars: number, show: (heights: readonly number[]) => void): () => void {
  const calm = matchMedia('(prefers-reduced-motion: reduce)')
  const { output } = call
  const analyser = output?.context.createAnalyser()
  if (analyser) {
    analyser.fftSize = FFT_SIZE
    output?.connect(analyser)
  }
  const spectrum = new Uint8Array(analyser?.frequencyBinCount ?? 0)
  const voiced = (HIGHEST * FFT_SIZE) / (analyser?.context.sampleRate ?? HIGHEST)
  let microphone = 0
  const off = call.on('level', (level) => (microphone = level))
  let drawnAt = -Infinity
  const draw = (now: number): void => {
    frame = requestAnimationFrame(draw)
    if (now - drawnAt < (calm.matches ? CALM : 0)) return
    drawnAt = now
    analyser?.getByteFrequencyData(spectrum)
    const agent = bandsOf(spectrum, bars, voiced)
    show(Math.max(...agent) > 0 ? agent : shapeOf(microphone, bars))
  }
  let frame = requestAnimationFrame(draw)
  return () => {
    cancelAnimationFrame(frame)
    off()
    // A call that has ended has disconnected its output, which must not be done twice.
    if (analyser && call.state !== 'ended') output?.disconnect(analyser)
  }
}

/** The loudest of each of so many equal parts of the first `count` bins, from 0 to 1. */
export function bandsOf(spectrum: Uint8Array, bars: number, count: number): readonly number[] {
  const width = Math.min(count, spectrum.length) / bars
  return Array.from({ length: bars }, (_, index) => {
    const bins = spectrum.subarray(Math.floor(index * width), Math.ceil((index + 1) * width))
    return Math.max(0, ...bins) / 255
  })
}

/** A level from 0 to 1 as bars that are higher in the middle. The root brings it close to how loud it sounds. */
export function shapeOf(level: number, bars: number): readonly number[] {
  const height = Math.min(1, 1.8 * Math.sqrt(level))
  return Array.from({ length: bars }, (_, index) => height * Math.sin(((index + 1) * Math.PI) / (bars + 1)))
}
