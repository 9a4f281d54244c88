const HOME = '/';
/** Characters as the browser gets them: the cookie of a login holds the path, and every request brings that cookie meanwhile. */
export const LONGEST_RETURN_PATH = 1_000;
const HERE = 'http://here.invalid';
/** What is no page to come back to. */
const NO_PAGE = /^\/(auth|api)(\/|$)/;

/**
 * Where somebody is sent after the login: the path that was asked for if it is one of this origin, else the first page. It is read as
 * browsers read it, who take a backslash for a slash and pass over line breaks.
 */
export const returnPathOf = (given: unknown): string => {
  if (typeof given !== 'string' || !/^\/(?![/\\])/.test(given)) return HOME;
  const url = URL.parse(given, HERE);
  if (url === null || url.origin !== HERE) return HOME;
  const path = `${url.pathname}${url.search}${url.hash}`;
  // `/.//host` is `//host` once it is made plain.
  return path.length > LONGEST_RETURN_PATH || path.startsWith('//') || NO_PAGE.test(url.pathname) ? HOME : path;
};
