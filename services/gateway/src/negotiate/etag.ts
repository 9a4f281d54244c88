const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');

/** Whether `If-None-Match` names this ETag, or any; strength does not matter here (RFC 9110 §13.1.2). */
export const isCurrent = (header: string | undefined, etag: string): boolean => {
  if (header === undefined) return false;
  return header.trim() === '*' || header.split(',').some((tag) => opaque(tag) === opaque(etag));
};
