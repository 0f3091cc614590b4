import { Resampler, sampleRates, sine } from '../src/audio/index.ts'

/** What resampling one frame of 20 ms costs, for every pair of rates: `npx tsx bench/audio.ts`. */
const frames = 2000

for (const from of sampleRates) {
  for (const to of sampleRates) {
    const resampler = new Resampler({ from, to })
    const { samples } = sine(440, { sampleRate: from, duration: 20 })
    const run = () => {
      const start = process.hrtime.bigint()
      for (let i = 0; i < frames; i++) resampler.push(samples)
      return Number(process.hrtime.bigint() - start) / frames
    }
    run()
    // The best of several: what the code costs, without what else the machine was doing.
    const best = Math.min(...Array.from({ length: 6 }, run))
    const delay = `${resampler.delay.toFixed(2)} ms delay`
    console.log(`${from} → ${to} Hz`.padEnd(18), delay.padEnd(16), `${best.toFixed(0)} ns a frame`)
  }
}
