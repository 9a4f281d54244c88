import { useLocation } from 'preact-iso';
import { keepEntry } from './dialog-history.ts';

/**
 * Keeps the choices of a screen in the address, so that a link shows the same and the Back button works. `put`
 * replaces the current history entry; a null value removes a parameter. `push` adds a history entry.
 */
export const useAddress = () => {
  const { path, query, route } = useLocation();
  const address = (changes: Readonly<Record<string, string | null>>): string => {
    const search = new URLSearchParams(query);
    for (const [name, value] of Object.entries(changes))
      if (value === null) search.delete(name);
      else search.set(name, value);
    const text = search.toString();
    return text === '' ? path : `${path}?${text}`;
  };
  return {
    query: query as Readonly<Record<string, string | undefined>>,
    put: (changes: Readonly<Record<string, string | null>>): void => keepEntry(() => route(address(changes), true)),
    push: (changes: Readonly<Record<string, string | null>>): void => route(address(changes)),
    address,
  };
};
