import { hostname, tmpdir } from 'node:os';
import fc from 'fast-check';
import { type AnyCall, allCalls } from '@teaching/contracts';
import { expect } from 'vitest';
import type { Fixture } from '../../../../tools/proofs/test/fixture.ts';
import type { Answer, HeaderValues } from '../../../../tools/proofs/test/http.ts';
import { urlOf } from '../../../../tools/proofs/test/any-request.ts';
import { readyRequest } from '../scene/ready-request.ts';
import { type Scene, createScene } from '../scene/scene.ts';
import { senderOf, type RandomRequest, randomRequests, WAYS } from './random-requests.ts';

/** The number of accepted and refused requests of a route, by status. */
export interface FuzzTally {
  route: string;
  taken: number;
  refused: Record<number, number>;
}

/** Patterns of internals: SQL statements, places in the code, files, hosts. */
const INSIDE = [
  /\b(select .+ from|insert into|update \w+ set|delete from|violates|syntax error|relation ")/i,
  /\bat (async )?[\w.<>]+ \(?(file:|\/|node:)|\.(ts|js):\d+/,
  /node_modules|SQLSTATE|ECONN|ENOENT|ZodError|TypeError|\bpg_(catalog|toast|temp|stat|advisory|class)|nats:\/\/|postgres(ql)?:\/\//,
  new RegExp(`["\\s/@](${[process.cwd(), tmpdir(), hostname(), '127\\.0\\.0\\.1', 'localhost'].join('|')})["\\s/:.]`),
];
/**
 * The internals in an answer, without text that was sent and returned, and without the addresses of callers in the
 * audit log and among refusals.
 */
const toldIn = ({ body, headers }: Answer, sent: string): string[] => {
  const said = `${JSON.stringify(body)} ${JSON.stringify([...headers])}`.replaceAll(/"(ip|address)":"[^"]*"/g, '');
  return INSIDE.flatMap((pattern) => pattern.exec(said)?.[0] ?? []).filter((found) => !sent.includes(found));
};

/** Calls that change the basis of others run last, each in the same order. */
const LAST = /^clazz\.(member|policy|holiday|closure|substitution)\./;
const turnOf = ({ id, writes }: AnyCall): number => (writes ? (LAST.test(id) ? 2 : 1) : 0);
const routed = allCalls
  .filter(({ http, who }) => http !== null && who !== 'anyone')
  .toSorted((a, b) => turnOf(a) - turnOf(b));

const send = (scene: Scene, call: AnyCall, n: number, { headers, ...asked }: RandomRequest): Promise<Answer> => {
  const { method, path } = urlOf(call, asked);
  const text = asked.body === undefined || method === 'GET' ? undefined : JSON.stringify(asked.body);
  const type: HeaderValues = text === undefined ? {} : { 'content-type': 'application/json' };
  return scene.as(senderOf(call, n)).send(method, `/${path}`, text, { ...type, ...headers });
};

/**
 * Sends `count` requests to each route, in all ways in turn, drawn from a seed: valid ones, almost valid ones, and
 * invalid ones. The client compares each answer with the API document. No answer is 5xx or reveals internals. The same
 * seed draws the same requests, except for ids.
 */
export const fuzzRoutes = async (fixture: Fixture, seed: number, each: number): Promise<FuzzTally[]> => {
  const scene = await createScene(fixture);
  const ids = Object.values(scene.our).filter((id) => /^[0-9a-f]{8}-/.test(id));
  const [tallies, wrong]: [FuzzTally[], string[]] = [[], []];
  for (const [at, call] of routed.entries()) {
    const tally: FuzzTally = { route: call.id, taken: 0, refused: {} };
    tallies.push(tally);
    for (let n = 0; n < each; n += 1) {
      // Half of the ways for one route, the others for the next.
      const way = WAYS[(n + (at % 2) * (WAYS.length / 2)) % WAYS.length] ?? 'ready';
      const ready = await readyRequest(scene, call, senderOf(call, n));
      const [request] = fc.sample(randomRequests(call, ready, way, ids), { numRuns: 1, seed: seed + at * 10_007 + n });
      if (request === undefined) throw new Error('no request was drawn');
      const answer = await send(scene, call, n, request).catch((error: Error) => error);
      // A difference from the document is thrown with the requests that led to it.
      if (answer instanceof Error) {
        wrong.push(`${way}: ${answer.message}`);
        continue;
      }
      const amiss = [
        ...(answer.status >= 500 || (way === 'ready' && answer.status >= 300) ? [`status ${answer.status}`] : []),
        ...toldIn(answer, JSON.stringify(request)),
      ];
      if (amiss.length > 0)
        wrong.push(`${call.id} ${way} ${JSON.stringify(request)}: ${amiss.join(', ')} ${JSON.stringify(answer.body)}`);
      if (answer.status < 400) tally.taken += 1;
      else tally.refused[answer.status] = (tally.refused[answer.status] ?? 0) + 1;
    }
  }
  expect(wrong, `seed ${seed}`).toEqual([]);
  return tallies;
};

/**
 * At least a third of the requests of each route must be accepted: otherwise the test checks only the outer validation.
 */
export const rarelyAccepted = (tallies: readonly FuzzTally[]): string[] =>
  tallies.flatMap(({ route, taken, refused }) => {
    const all = Object.values(refused).reduce((sum, count) => sum + count, taken);
    return taken * 3 >= all ? [] : [`${route}: ${taken} of ${all}`];
  });
