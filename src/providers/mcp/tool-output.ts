import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js'

import { McpToolsetError } from './errors.ts'
import { limits } from './limits.ts'

/**
 * What a tool's result is for a model that reads: the text of its blocks, and a word about those that cannot be read. A
 * server that answers with data alone gives the data. Throws if the tool says that it failed.
 */
export function outputOf({ content, structuredContent, isError }: CallToolResult): unknown {
  const text = clip(content.map(textOf).join('\n'))
  if (isError === true)
    throw new McpToolsetError('MCP_TOOL_FAILED', text || 'the tool failed, and does not say why')
  if (text !== '' || !structuredContent) return text === '' ? undefined : text
  const json = JSON.stringify(structuredContent)
  return json.length > limits.output ? clip(json) : structuredContent
}

function textOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource')
    return 'text' in block.resource ? block.resource.text : unreadable(block.resource.uri)
  if (block.type !== 'resource_link') return unreadable(`${block.type}, ${block.mimeType}`)
  const { title, name, uri, description = '' } = block
  return `[${title ?? name}: ${uri}] ${description}`.trim()
}

const unreadable = (what: string): string => `[${what}: it cannot be read here]`

function clip(text: string): string {
  if (text.length <= limits.output) return text
  return `${text.slice(0, limits.output)}\n[cut: ${text.length - limits.output} characters more]`
}
