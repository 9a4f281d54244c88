import type { Role } from '@teaching/contracts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { type Client, createClient } from '../src/index.ts';

const PAGE = 100;

type Found = readonly [path: string, value: unknown];
/** All members of an answer at any depth, with the object that each stands in. */
const membersOf = (value: unknown, path = ''): { at: Found; beside: Map<string, unknown> }[] => {
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value) as [string, unknown][];
  const beside = new Map(members);
  return members.flatMap(([name, inner]) => [
    { at: [`${path}/${name}`, inner] as const, beside },
    ...membersOf(inner, `${path}/${name}`),
  ]);
};

/** Where the name of what an id names stands, or what a person would look up first. */
const nameOf = (name: string): string => {
  if (name === 'user_id') return 'display_name';
  if (name === 'lesson_id') return 'lesson_starts_at';
  return name.endsWith('_id') ? name.replace(/_id$/, '_name') : `${name}_name`;
};
const namesOf = (name: string): string => (name.endsWith('_ids') ? name.replace(/_ids$/, '_names') : `${name}_names`);

/** Of the caller, the directory's record stands beside the id. */
const isCaller = (beside: Map<string, unknown>): boolean => beside.has('member');

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Ids in an answer that nobody can read without asking again: their paths. */
const unreadable = (answer: unknown, known: ReadonlySet<string>): string[] =>
  membersOf(answer).flatMap(({ at: [path, value], beside }) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (typeof value === 'string' && known.has(value) && name !== 'id' && !/^\d+$/.test(name))
      return isText(beside.get(nameOf(name))) || isCaller(beside) ? [] : [path];
    if (!Array.isArray(value) || !value.some((one) => typeof one === 'string' && known.has(one))) return [];
    const names = beside.get(namesOf(name));
    return Array.isArray(names) && names.length === value.length && names.every(isText) ? [] : [path];
  });

/** The longest list of an answer, at any depth. */
const longest = (answer: unknown): number =>
  Math.max(0, ...membersOf(answer).map(({ at: [, value] }) => (Array.isArray(value) ? value.length : 0)));

export interface RequestCounter {
  /** As somebody of the fixture's org. */
  as: (role: Role, sub: string) => Client;
  /** What was asked since this was read last, and what is wrong with the answers. */
  asked: () => { calls: string[]; wrong: string[] };
}

/** Clients whose requests are counted, and whose answers are all of a page at most and readable by themselves. */
export const countRequests = (fixture: Fixture, known: ReadonlySet<string>): RequestCounter => {
  let calls: string[] = [];
  let wrong: string[] = [];
  const send: typeof fetch = async (url, init) => {
    const request = new Request(url, init);
    const place = `${request.method} ${new URL(request.url).pathname}`;
    calls.push(place);
    const response = await fetch(request);
    const answer: unknown = await response.clone().json();
    if (longest(answer) > PAGE) wrong.push(`${place} answers a list of ${longest(answer)}`);
    wrong.push(...unreadable(answer, known).map((path) => `${place} leaves ${path} to look up`));
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
