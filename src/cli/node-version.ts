/** The oldest supported version of Node, as in package.json. */
const OLDEST = [20, 19] as const

/** Why endwell cannot run on this version of Node, if it cannot. This file must load on any version. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined
  return `endwell needs Node ${OLDEST.join('.')} or later. This is Node ${version}: install a newer version from https://nodejs.org`
}
