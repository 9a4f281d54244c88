import type { AnyCall } from '../../../libs/contracts/src/index.ts';

type Values = Readonly<Record<string, unknown>>;
/** What a test may send to be refused: anything. */
export interface AnyTestRequest {
  path?: Values | undefined;
  query?: Values | undefined;
  body?: unknown;
}

const searchOf = (query: Values): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return search.size === 0 ? '' : `?${search.toString()}`;
};

/** Method and path of a request, with its query. A parameter that is not given stays in its braces. */
export const urlOf = (call: AnyCall, { path = {}, query = {} }: AnyTestRequest): { method: string; path: string } => {
  if (call.http === null) throw new Error(`${call.id} has no route`);
  const filled = call.http.path.replaceAll(/\{(\w+)\}/g, (all, name: string) =>
    name in path ? encodeURIComponent(String(path[name])) : all,
  );
  return { method: call.http.method, path: filled + searchOf(query) };
};
