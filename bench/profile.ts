import { Session } from 'node:inspector/promises'

/**
 * The share of each category in the CPU time of this process while `work` runs. A function belongs to the first category whose
 * pattern matches its file, or its name if it has no file.
 */
export async function profiled<Name extends string>(
  categories: Readonly<Record<Name, RegExp>>,
  work: () => Promise<unknown>,
): Promise<Record<Name, number>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.start')
  await work()
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  const names = Object.keys(categories) as Name[]
  const placeOf = new Map(
    profile.nodes.map(({ id, callFrame: { url, functionName } }) => [id, url || functionName]),
  )
  const counts = new Map<Name, number>()
  let all = 0
  for (const sample of profile.samples ?? []) {
    const place = placeOf.get(sample)!
    if (place === '(idle)') continue
    all++
    const name = names.find((each) => categories[each].test(place))
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return Object.fromEntries(names.map((name) => [name, (counts.get(name) ?? 0) / all])) as Record<
    Name,
    number
  >
}
