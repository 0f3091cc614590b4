/** What the agents of docs/from-livekit.md and docs/from-openai-agents.md work with. */
export const calendar = {
  firstFree: async (day: string, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<string> => {
    signal?.throwIfAborted()
    return `${day} at ten`
  },
}

export async function save(items: number): Promise<void> {
  console.log(`${items} items`)
}
