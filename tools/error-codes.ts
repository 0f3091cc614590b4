import { writeFileSync } from 'node:fs'

import { exitCodes, runCommand } from '../src/cli/command.ts'
import { errorPage, errorPagePath, isCurrent } from './errors/page.ts'

await runCommand({
  name: 'npm run errors --',
  summary: 'Writes docs/errors.md: every error code, what it means and what to do.',
  options: { check: { type: 'boolean', about: 'write nothing; fail if the page is out of date' } },
  run: async ({ check, json }) => {
    const { text, codes } = errorPage()
    const current = isCurrent(text)
    if (!check) writeFileSync(errorPagePath, text)
    if (json) console.log(JSON.stringify({ codes, current }))
    else
      console.log(
        `${codes} codes; docs/errors.md ${current ? 'is current' : check ? 'is out of date: run `npm run errors`' : 'was written'}`,
      )
    return check && !current ? exitCodes.failed : exitCodes.ok
  },
})
