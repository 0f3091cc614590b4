import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { errorCodes } from '../../src/scope/error-codes.ts'

export const errorPagePath = fileURLToPath(new URL('../../docs/errors.md', import.meta.url))

const head = `# Error codes

Every error that endwell throws on purpose is an \`EndwellError\`. Its \`code\` is one of the codes below: stable, unique, and meant
for programs. Its message is for people: it says what happened, to what, and what to do. The same codes are in the \`error\`
events and the report of a session, in the JSON of a refused request (\`{ "code": …, "message": … }\`), in the \`error\` events of
a call in the browser, and in the log.

To branch on a code, compare it: \`error instanceof EndwellError && error.code === 'LINK_REFUSED'\`. The type \`ErrorCode\` of
\`endwell/scope\` lists them all.

This page is generated from \`src/scope/error-codes.ts\` by \`npm run errors\`.
`

/** The page, and how many codes it has. */
export function errorPage(): { text: string; codes: number } {
  let codes = 0
  const sections = Object.entries(errorCodes).map(([room, entries]) => {
    const rows = Object.entries(entries).map(([code, [means, remedy]]) => {
      codes += 1
      return `| \`${code}\` | ${means} | ${remedy} |`
    })
    return [
      `## ${room}`,
      '',
      '| Code | What it means | What to do |',
      '| --- | --- | --- |',
      ...rows,
      '',
    ].join('\n')
  })
  return { text: [head, ...sections].join('\n'), codes }
}

export function isCurrent(text: string): boolean {
  return existsSync(errorPagePath) && readFileSync(errorPagePath, 'utf8') === text
}
