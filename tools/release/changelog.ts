/** Turns the section "Unreleased" into the section of a version, and starts an empty one. */
export function releaseSection(changelog: string, version: string, date: string): string {
  if (sectionOf(changelog, version) !== undefined) throw new Error(`CHANGELOG.md has ${version} already`)
  if (sectionOf(changelog, 'Unreleased') === undefined)
    throw new Error('CHANGELOG.md has no changes under "## Unreleased"')
  return changelog.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version} (${date})`)
}

/** The text of a section, by its title without the date. Undefined if it is missing or empty. */
export function sectionOf(changelog: string, title: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1)
  const found = sections.find((section) => section.split('\n', 1)[0]?.replace(/ \(.*\)$/, '') === title)
  const text = found?.split('\n').slice(1).join('\n').trim()
  return text === '' ? undefined : text
}
