/** Where in a request something stands, as a JSON Pointer (RFC 6901). */
export const pointer = (...path: readonly string[]): string =>
  path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
