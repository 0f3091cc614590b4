import { surfaceOf, type Declaration } from '../api/surface.ts'
import { anchorOf } from '../../test/house/markdown.ts'

const kinds = [
  ['class', 'Classes'],
  ['function', 'Functions'],
  ['const', 'Values'],
  ['interface', 'Interfaces'],
  ['type', 'Types'],
] as const

/** The page of one entry point: every public name with its comment and its declaration. */
export function referencePage(entry: string, file: string, about: string): string {
  const surface = surfaceOf(file, { comments: true })
  const names = [...surface.keys()].toSorted((a, b) => a.localeCompare(b))
  const lists = kinds.flatMap(([kind, title]) => {
    const members = names.filter((name) => kindOf(surface.get(name)!) === kind)
    const links = members.map((name) => `[\`${name}\`](#${anchorOf(name)})`)
    return members.length === 0 ? [] : [`**${title}**: ${links.join(' · ')}`, '']
  })
  const sections = names.flatMap((name) => section(name, surface.get(name)!))
  const sentence = about === '' ? '' : `${about[0]!.toUpperCase()}${about.slice(1)}.`
  return [`# ${entry}`, '', sentence, '', ...lists, ...sections].join('\n')
}

function section(name: string, declarations: readonly Declaration[]): string[] {
  const about = declarations.map((each) => each.about).find((each) => each !== '') ?? ''
  const code = declarations.map(({ text }) => narrow(text)).join('\n\n')
  return [`## ${name}`, '', ...(about === '' ? [] : [prose(about), '']), '```ts', code, '```', '']
}

/** How many characters of a line fit into a page. */
const WIDTH = 84

/** Indents by two spaces, and breaks comments that are too long for a page. */
function narrow(text: string): string {
  return text
    .replaceAll(/^( {4})+/gm, (spaces) => ' '.repeat(spaces.length / 2))
    .replaceAll(/^( *)\/\*\* (.*) \*\/$/gm, (whole, indent: string, words: string) => {
      if (whole.length <= WIDTH) return whole
      const lines = wrapped(words, WIDTH - indent.length - 3)
      return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`].join('\n')
    })
}

function wrapped(words: string, width: number): string[] {
  const lines = ['']
  for (const word of words.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trim()
    if (longer.length <= width) lines.splice(-1, 1, longer)
    else lines.push(word)
  }
  return lines
}

/** A comment as a page shows it. */
function prose(about: string): string {
  return about
    .replaceAll(
      /^@example\s*$\n([^]*?)(?=^@|$(?![^]))/gm,
      (_, code: string) => `\`\`\`ts\n${code.trim()}\n\`\`\``,
    )
    .replaceAll(/\{@link ([^}]*)\}/g, '`$1`')
}

function kindOf([first]: readonly Declaration[]): (typeof kinds)[number][0] {
  const [, kind = 'type'] =
    /^(?:abstract )?(class|function|const|interface|type)\b/.exec(first?.text ?? '') ?? []
  return kind as (typeof kinds)[number][0]
}
