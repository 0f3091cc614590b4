/** In what live models differ. */
export interface Abilities {
  /** Whether instructions and tools can be changed within a connection. */
  readonly contextUpdate: boolean
  /** How tools are declared. Undefined if the service does not know the field. */
  readonly tools: 'BLOCKING' | 'NON_BLOCKING' | undefined
}

/** What a model can do, by its name. Vertex AI has no behavior of tools: they always block. */
export function abilitiesOf(model: string, vertex: boolean): Abilities {
  const thinks = model.includes('extended-thinking')
  return {
    contextUpdate: /gemini-(3\.[89]|[4-9])/.test(model),
    tools: vertex ? undefined : thinks ? 'NON_BLOCKING' : 'BLOCKING',
  }
}
