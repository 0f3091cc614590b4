/** A time for people: local, to the second. */
export function dateText(at: number): string {
  const date = new Date(at)
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** What is wrong if a required argument was not given. */
export function missing(
  { name, about }: { name: string; about: string },
  argument: string | undefined,
): string | undefined {
  return argument === undefined ? `Missing ${name}, ${about}` : undefined
}
