/**
 * What every answer carries. The page may load, run and call its own server, and nothing else: no script in its text, no
 * frame around it. `host` has passed the gate.
 */
export function securityHeaders(host: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    // Not every browser takes sockets of the same host for `self`.
    `connect-src 'self' ws://${host} wss://${host}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'permissions-policy': 'microphone=(self), camera=(), geolocation=()',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  }
}
