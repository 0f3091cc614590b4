import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { cases } from './cases.ts'
import { measure } from './measure.ts'

const seconds = (ms: number | undefined): string =>
  ms === undefined ? 'never' : `${(ms / 1_000).toFixed(1)} s`

await runCommand(
  {
    name: 'npm run silence',
    summary: 'How long each provider takes to notice that its vendor is connected but says nothing.',
    options: {},
    run: async ({ json }) => {
      let slow = 0
      for (const { vendor, silence, within } of cases) {
        const { noticed, failed } = await measure(vendor, silence)
        const ok = noticed !== undefined && noticed <= within
        if (!ok) slow++
        const { during, pongs } = silence
        if (json) continue
        console.log(
          [
            ok ? 'ok  ' : 'SLOW',
            vendor.name.padEnd(24),
            during.padEnd(18),
            (pongs ? 'pongs' : 'no pongs').padEnd(10),
            `noticed ${seconds(noticed)}`.padEnd(18),
            `failed ${seconds(failed)}`,
          ].join(' '),
        )
      }
      console.log(JSON.stringify({ cases: cases.length, slow }))
      return slow === 0 ? exitCodes.ok : exitCodes.failed
    },
  },
  process.argv.slice(2),
)
