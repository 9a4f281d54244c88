import { z } from 'zod';
import type { ProblemCode } from './problem.ts';
import type { Role } from './scalars.ts';
import { type Reaches, reachesOf, type Whose } from './whose.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Shape = Readonly<Record<string, z.ZodType>>;
/** What an answer can be beside JSON, or instead of it. */
type OtherType = 'text/csv' | 'text/calendar' | 'text/html' | 'text/event-stream';
/** `METHOD /path/{param}` */
export type Route = `${Method} /${string}`;

/** Bytes of a body: what most calls take, those with long texts, and those with lists, which is the most. */
export const SMALL_BODY = 16_384;
export const LONG_BODY = 65_536;
export const LARGEST_BODY = 1_048_576;
/** What a whole export costs, against one page of it. */
const EXPORT_COST = 50;

/** Users of the broker who ask for something: one for each service, and the operator's. */
export const ASKERS = ['gateway', 'clazz', 'course', 'package', 'stats', 'admin'] as const;
export type Asker = (typeof ASKERS)[number];

/** Who may call, and about whose things. A call that says neither does not compile. */
type Callers =
  | {
      /** People with one of these roles; the gateway asks for them. */
      who: readonly [Role, ...Role[]];
      /** Whose things each of them reaches; the kit holds handlers to it. */
      whose: Whose;
      asked_by?: never;
    }
  | {
      /** Supervisors reach everything of their organization; `anyone` shows a secret that stands for somebody. */
      who: readonly ['SUPERVISOR'] | 'anyone';
      whose?: never;
      asked_by?: never;
    }
  | {
      /** Not for people. */
      who: 'service';
      /** Users of the broker, which proves their names. */
      asked_by: readonly [Asker, ...Asker[]];
      whose?: never;
    };

/** What one call is made of. Everything else (route, role check, subject, docs) is derived from it. */
interface CallParts<P extends Shape, Q extends Shape, B extends z.ZodType, O extends z.ZodType, H extends Route> {
  /** `<service>.<entity>.<what>`: who answers it, and its name there. */
  id: string;
  /** `METHOD /path/{param}`; absent for calls between services only. */
  http?: H;
  summary: string;
  /**
   * How a call that names GUARDIAN finds the child it is about, whom the guardian is then seen as. `named`: the request names
   * it by `student_id` (path, query or body), without which it is refused with 400. `any`: what has an id is looked for
   * among all their children, unless `student_id` chooses one. A child that is not theirs is 404. Left out: the call is about
   * no student.
   */
  child?: 'named' | 'any';
  /** Whether it changes anything: writes run in a transaction and take an Idempotency-Key. */
  writes: boolean;
  /** `all orgs`: works under the worker role, across tenants; for calls between services only. */
  scope?: 'org' | 'all orgs';
  /**
   * A read that leaves an entry on the audit trail. It runs in a transaction and may emit, so that no
   * answer leaves without its entry; for the caller it stays a safe read (RFC 9110 §9.2.1).
   */
  audited?: boolean;
  /** Answer status, by default 201 for a create, 200 otherwise; 204 has no body. */
  status?: 200 | 201 | 204;
  /** Answer status when what it would create is there already and is changed instead. */
  again?: 200;
  path?: P;
  query?: Q;
  body?: B;
  /** Bytes a body may have, by default `SMALL_BODY`; as many as a valid one can have with every character escaped. */
  max_body?: number;
  /** How many requests it counts as where they are limited: by default one, more where one costs as much as many. */
  cost?: number;
  output: O;
  /** Refusals beyond the common ones (400, 401, 403, 404, 413, 415, 422, 429, 5xx). `version_mismatch` when If-Match is honoured. */
  errors?: readonly ProblemCode[];
  /** Further content type of the answer, asked for by `Accept`. */
  also?: OtherType;
}

type CallSpec<P extends Shape, Q extends Shape, B extends z.ZodType, O extends z.ZodType, H extends Route> = CallParts<
  P,
  Q,
  B,
  O,
  H
> &
  Callers;

export interface Call<
  P extends Shape = Shape,
  Q extends Shape = Shape,
  B extends z.ZodType = z.ZodType,
  O extends z.ZodType = z.ZodType,
  H extends Route = Route,
> extends Required<Omit<CallParts<P, Q, B, O, H>, 'http' | 'also' | 'again' | 'child' | 'path' | 'query'>> {
  who: readonly [Role, ...Role[]] | 'anyone' | 'service';
  /** Whose things each of the callers reaches; null if they are no people with roles. */
  whose: Reaches | null;
  /** Which users of the broker may ask; for what is for people, the gateway. */
  asked_by: readonly Asker[];
  /** Who answers it. */
  service: string;
  /** Its name there: the rest of the id. */
  endpoint: string;
  /** Only carries the type of the route; never set. */
  '~route'?: H;
  http: { method: Method; path: string } | null;
  also: OtherType | null;
  again: 200 | null;
  child: 'named' | 'any' | null;
  /** What it costs with the other content type. */
  also_cost: number;
  path: z.ZodObject<P>;
  query: z.ZodObject<Q>;
}

/** No body, or `{}`. */
const NoBody = z.strictObject({}).optional();

const splitRoute = (route: string): { method: Method; path: string } => {
  const [, method, path] = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/.exec(route) ?? [];
  if (method === undefined || path === undefined) throw new Error(`not a route: ${route}`);
  return { method: method as Method, path };
};

/** Declares a call. */
export const call = <
  const P extends Shape = {},
  const Q extends Shape = {},
  B extends z.ZodType = typeof NoBody,
  O extends z.ZodType = z.ZodType,
  const H extends Route = never,
>(
  spec: CallSpec<P, Q, B, O, H>,
): Call<P, Q, B, O, H> => ({
  ...spec,
  service: spec.id.slice(0, spec.id.indexOf('.')),
  endpoint: spec.id.slice(spec.id.indexOf('.') + 1),
  asked_by: spec.asked_by ?? ['gateway'],
  whose: typeof spec.who === 'object' ? reachesOf(spec.id, spec.who, spec.whose) : null,
  audited: spec.audited ?? false,
  http: spec.http === undefined ? null : splitRoute(spec.http),
  also: spec.also ?? null,
  cost: spec.cost ?? 1,
  also_cost: spec.also === 'text/csv' ? EXPORT_COST : (spec.cost ?? 1),
  max_body: spec.max_body ?? SMALL_BODY,
  again: spec.again ?? null,
  child: spec.child ?? null,
  scope: spec.scope ?? 'org',
  status: spec.status ?? 200,
  path: z.strictObject(spec.path ?? ({} as P)),
  query: z.strictObject(spec.query ?? ({} as Q)),
  body: spec.body ?? (NoBody as unknown as B),
  errors: spec.errors ?? [],
});

export type AnyCall = Call<any, any, any, any, any>; // oxlint-disable-line no-explicit-any -- variance: every call is one
export type Calls = Readonly<Record<string, AnyCall>>;

/** What a handler gets: each part parsed by its schema. */
export interface Input<C extends AnyCall> {
  path: z.output<C['path']>;
  query: z.output<C['query']>;
  body: z.output<C['body']>;
}

/** What a caller sends. */
export interface Request<C extends AnyCall> {
  path: z.input<C['path']>;
  query: z.input<C['query']>;
  body: z.input<C['body']>;
}

export type Output<C extends AnyCall> = z.output<C['output']>;
