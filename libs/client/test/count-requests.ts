import type { Role } from '@teaching/contracts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { type Client, createClient } from '../src/index.ts';

const PAGE = 100;

type Found = readonly [path: string, value: unknown];
/** All members of a response at any depth, each with the other members of its object. */
const membersOf = (value: unknown, path = ''): { at: Found; beside: Map<string, unknown> }[] => {
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value) as [string, unknown][];
  const beside = new Map(members);
  return members.flatMap(([name, inner]) => [
    { at: [`${path}/${name}`, inner] as const, beside },
    ...membersOf(inner, `${path}/${name}`),
  ]);
};

/** The member with the name of the record of an id. For a lesson it is the start. */
const nameOf = (name: string): string => {
  if (name === 'user_id') return 'display_name';
  if (name === 'lesson_id') return 'lesson_starts_at';
  return name.endsWith('_id') ? name.replace(/_id$/, '_name') : `${name}_name`;
};
const namesOf = (name: string): string => (name.endsWith('_ids') ? name.replace(/_ids$/, '_names') : `${name}_names`);

/** The id of the caller has the directory entry beside it. */
const isCaller = (beside: Map<string, unknown>): boolean => beside.has('member');

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** The paths of ids in a response that have no name beside them. */
const idsWithoutNames = (answer: unknown, known: ReadonlySet<string>): string[] =>
  membersOf(answer).flatMap(({ at: [path, value], beside }) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (typeof value === 'string' && known.has(value) && name !== 'id' && !/^\d+$/.test(name))
      return isText(beside.get(nameOf(name))) || isCaller(beside) ? [] : [path];
    if (!Array.isArray(value) || !value.some((one) => typeof one === 'string' && known.has(one))) return [];
    const names = beside.get(namesOf(name));
    return Array.isArray(names) && names.length === value.length && names.every(isText) ? [] : [path];
  });

/** The length of the longest list in a response, at any depth. */
const longest = (answer: unknown): number =>
  Math.max(0, ...membersOf(answer).map(({ at: [, value] }) => (Array.isArray(value) ? value.length : 0)));

export interface RequestCounter {
  /** A client of a person in the organization of the fixture. */
  as: (role: Role, sub: string) => Client;
  /** The calls since the last read, and the faults of their responses. */
  asked: () => { calls: string[]; wrong: string[] };
}

/** Clients that record requests, and check that responses have at most one page and names beside all ids. */
export const countRequests = (fixture: Fixture, known: ReadonlySet<string>): RequestCounter => {
  let calls: string[] = [];
  let wrong: string[] = [];
  const send: typeof fetch = async (url, init) => {
    const request = new Request(url, init);
    const route = `${request.method} ${new URL(request.url).pathname}`;
    calls.push(route);
    const response = await fetch(request);
    const answer: unknown = await response.clone().json();
    if (longest(answer) > PAGE) wrong.push(`${route} responds with a list of ${longest(answer)}`);
    wrong.push(...idsWithoutNames(answer, known).map((path) => `${route} has no name for ${path}`));
    return response;
  };
  return {
    as: (role, sub) =>
      createClient({ base_url: fixture.address, token: fixture.token({ role, sub }), fetch: send, repeat: false }),
    asked: () => {
      const all = { calls, wrong };
      [calls, wrong] = [[], []];
      return all;
    },
  };
};
