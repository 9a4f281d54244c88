import type { AnyCall } from '../../../libs/contracts/src/index.ts';

type Values = Readonly<Record<string, unknown>>;
/** A request for a test of refusals; its values need not be valid. */
export interface AnyTestRequest {
  path?: Values | undefined;
  query?: Values | undefined;
  body?: unknown;
}

const searchOf = (query: Values): string => {
  const present = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(present.map(([name, value]): [string, string] => [name, String(value)]));
  return search.size === 0 ? '' : `?${search.toString()}`;
};

/** Method and path of a request, with its query. A missing path parameter stays in its braces. */
export const urlOf = (call: AnyCall, { path = {}, query = {} }: AnyTestRequest): { method: string; path: string } => {
  if (call.http === null) throw new Error(`${call.id} has no route`);
  const filled = call.http.path.replaceAll(/\{(\w+)\}/g, (all, name: string) =>
    name in path ? encodeURIComponent(String(path[name])) : all,
  );
  return { method: call.http.method, path: filled + searchOf(query) };
};
