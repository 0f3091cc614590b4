import type { Scope } from '../../scope/index.ts'
import { FarEnd } from '../far-end.ts'
import { limits } from './limits.ts'
import { closeCodes, type LineMessage } from './protocol.ts'

const replaced = { code: closeCodes.replaced, reason: 'CALL_REPLACED' }

/** The page at the other end. */
export class Page extends FarEnd {
  constructor(scope: Scope<string>) {
    super(scope, { replaced, closePatience: limits.closePatience })
  }

  tell(message: LineMessage): void {
    this.send(JSON.stringify(message))
  }
}
