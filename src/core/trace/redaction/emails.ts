/**
 * E-mail addresses in text, also percent-encoded and with letters beyond ASCII. Package versions (`react@18.0.0-rc.1`),
 * image scales (`logo@2x.png`) and git remotes (`git@host.com:…`) have the shape and are none.
 */

/** Entered only at the beginning of a run of local-part characters: each run is read once. */
const ASCII_ADDRESS =
  /(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]+(?:@|%40)((?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,8}(?:xn--[a-z0-9-]{1,40}|[A-Za-z]{2,24}))/g

/** The same for all letters; several times slower. */
const ADDRESS =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+(?:@|%40)((?:[\p{L}\p{N}][\p{L}\p{N}-]{0,62}\.){1,8}(?:xn--[a-z0-9-]{1,40}|\p{L}{2,24}))/gu

export function redactEmails(text: string): string {
  if (!text.includes('@') && !text.includes('%40')) return text
  return text.replace(/[\u0080-\uffff]/.test(text) ? ADDRESS : ASCII_ADDRESS, (found, domain: string) =>
    isAddress(found, domain) ? '[email]' : found,
  )
}

function isAddress(found: string, domain: string): boolean {
  const isVersion = /^\d+\.\d+\./.test(domain)
  const isImageScale = /^\dx\.(?:png|jpe?g|webp|svg|gif|avif)$/i.test(domain)
  return !isVersion && !isImageScale && !/^git@/i.test(found)
}
