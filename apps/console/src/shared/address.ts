import { useLocation } from 'preact-iso';

/**
 * What is chosen lives in the address, so that it can be sent to somebody and the way back works. `put` with null takes one
 * out; `push` makes a step of its own for the way back.
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
    put: (changes: Readonly<Record<string, string | null>>): void => route(address(changes), true),
    push: (changes: Readonly<Record<string, string | null>>): void => route(address(changes)),
    address,
  };
};
