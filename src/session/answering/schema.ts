import { EndwellError } from '../../scope/index.ts'

/** The interface that zod, valibot, arktype and others share (standardschema.dev): validation, and export as JSON Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly jsonSchema?: { readonly input: (options: { target: string }) => Record<string, unknown> }
  }
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The type that a schema validates to. */
export type OutputOf<Schema> = Schema extends StandardSchema<unknown, infer Output> ? Output : never

/** Describes a tool's input to a model: `given` if set, otherwise what the schema exports. */
export function jsonSchemaOf(
  tool: string,
  schema: StandardSchema | undefined,
  given: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> {
  if (given) return given
  if (!schema) return { type: 'object', properties: {} }
  const standard = schema['~standard']
  if (!standard.jsonSchema) {
    throw new EndwellError(
      'NO_JSON_SCHEMA',
      `tool '${tool}': its ${standard.vendor} schema has no JSON Schema export; set \`parameters\` on the tool, ` +
        `or use a version of ${standard.vendor} that implements Standard JSON Schema`,
    )
  }
  return standard.jsonSchema.input({ target: 'draft-2020-12' })
}

/** Lists the issues in one line, so that the model can correct its input. */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  return issues
    .map(({ message, path }) => {
      const at = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
      return at === '' ? message : `${at}: ${message}`
    })
    .join('; ')
}
