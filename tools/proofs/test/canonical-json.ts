/**
 * Canonical JSON by RFC 8785, independent of the implementation that the services use, so that tests can compare the
 * two. Strings and numbers are those of ECMAScript (3.2.2). Members are sorted by the UTF-16 code units of
 * their names (3.2.3), which is the order of `<` on strings.
 */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members: [string, unknown][] = Object.entries(value);
    members.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`).join(',')}}`;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`JSON has no ${value}`);
  if (typeof value === 'string' && !value.isWellFormed()) throw new Error('a lone surrogate has no JSON form');
  return JSON.stringify(value);
};
