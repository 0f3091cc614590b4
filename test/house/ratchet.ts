/** Something that should not be, and the room that has to change. */
export interface Finding {
  readonly room: string
  readonly text: string
}

/**
 * The findings of rooms that have more of them than allowed, and the allowances that are higher than they need to be:
 * a number may only shrink.
 */
export function beyond(findings: readonly Finding[], allowed: Readonly<Record<string, number>>): string[] {
  const rooms = new Set([...findings.map(({ room }) => room), ...Object.keys(allowed)])
  return [...rooms].flatMap((room) => {
    const found = findings.filter((finding) => finding.room === room).map(({ text }) => text)
    const most = allowed[room] ?? 0
    if (found.length > most) return found
    return found.length < most ? [`${room}: ${most} allowed, ${found.length} found. Lower the number.`] : []
  })
}
