import { parse, walk, type Node } from './syntax.ts'
import type { Source } from './tree.ts'

/**
 * Functions that V8 creates among the old objects, one line each (SC22).
 *
 * V8 takes a function that is assigned to a property, as in `call.onEnd = () => …`, for the method of a class that lives
 * for ever, and an object with an accessor of its own gets a hidden class of its own, which is as old. What such a
 * function refers to, mostly a whole call, then outlives every collection of young objects. A function that has a name
 * first, a bound method or the getter of a class does not.
 */
export function oldFunctions(source: Source): string[] {
  const { program, lineOf } = parse(source)
  const found: string[] = []
  walk(program, ({ node }) => {
    if (
      node.type === 'AssignmentExpression' &&
      node.left.type === 'MemberExpression' &&
      isFunction(node.right)
    )
      found.push(
        `${source.path}:${lineOf(node)} assigns a function to a property: give it a name, or bind a method`,
      )
    if (node.type === 'ObjectExpression' && node.properties.some(isAccessor))
      found.push(`${source.path}:${lineOf(node)} has an accessor of its own: use a class`)
  })
  return found
}

function isFunction(node: Node): boolean {
  if (node.type === 'TSAsExpression' || node.type === 'ParenthesizedExpression')
    return isFunction(node.expression)
  return node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression'
}

const isAccessor = (node: Node): boolean =>
  node.type === 'Property' && (node.kind === 'get' || node.kind === 'set')
