import { z } from 'zod';
import type { ProblemCode } from './problem.ts';
import type { Role } from './scalars.ts';
import { type AccessByRole, accessByRole, type Access } from './access-rules.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Shape = Readonly<Record<string, z.ZodType>>;
/** Content types of responses in addition to JSON, or instead of it. */
type OtherType = 'text/csv' | 'text/calendar' | 'text/html' | 'text/event-stream';
/** `METHOD /path/{param}` */
export type Route = `${Method} /${string}`;

/** Maximum bytes of a request body: of most calls, of calls with long texts, and of calls with lists. */
export const SMALL_BODY = 16_384;
export const LONG_BODY = 65_536;
export const LARGEST_BODY = 1_048_576;
/** Cost of a CSV export in requests; one page costs 1. */
const EXPORT_COST = 50;

/** Users of the broker that send requests: one for each service, and `admin` for the operator's tools. */
export const BROKER_USERS = ['gateway', 'clazz', 'course', 'package', 'stats', 'admin'] as const;
export type BrokerUser = (typeof BROKER_USERS)[number];

/** A call for people, with limited access for some of their roles. */
interface LimitedCallers {
  /** Roles that may call. The gateway sends the request for the person. */
  roles: readonly [Role, ...Role[]];
  /** The records that each role can access. The kit enforces it in handlers. */
  access: Access;
  called_by?: never;
}

/** A call for supervisors only, or for any holder of a secret. */
interface UnlimitedCallers {
  /** Supervisors can access everything in their organization. `anyone`: a secret in the path identifies the person. */
  roles: readonly ['SUPERVISOR'] | 'anyone';
  access?: never;
  called_by?: never;
}

/** A call between services. People cannot make it. */
interface ServiceCallers {
  roles: 'service';
  /** Users of the broker that may call. The broker authenticates them. */
  called_by: readonly [BrokerUser, ...BrokerUser[]];
  access?: never;
}

/** Permitted callers, and the records that they can access. A call that declares neither does not compile. */
type Callers = LimitedCallers | UnlimitedCallers | ServiceCallers;

/** The declaration of one call. Route, role check, NATS subject and documentation are derived from it. */
interface CallParts<P extends Shape, Q extends Shape, B extends z.ZodType, O extends z.ZodType, H extends Route> {
  /** `<service>.<entity>.<action>`. The first part is the service that handles the call. */
  id: string;
  /** `METHOD /path/{param}`; absent for calls between services. */
  http?: H;
  /**
   * An imperative phrase, such as `Read a course`. Its first sentence is the title of the operation in the API
   * reference; further sentences begin the description. No period at the end.
   */
  summary: string;
  /**
   * How a call that names GUARDIAN finds the child. The guardian then acts for that child.
   * `named`: the request names the child by `student_id` (path, query or body); without it the answer is 400.
   * `any`: the record in the path is searched among all children, unless `student_id` selects one.
   * A student who is not a child of the guardian is 404. Absent: the call concerns no student.
   */
  child?: 'named' | 'any';
  /** Staff must name the student: without `student_id` the answer is 400. */
  student_required?: boolean;
  /** Whether the call changes data. Writes run in a transaction and accept an `Idempotency-Key`. */
  writes: boolean;
  /** `all orgs`: runs under the worker role, across tenants. Only for calls between services. */
  scope?: 'org' | 'all orgs';
  /**
   * A read that creates an entry in the audit log. It runs in a transaction and may publish events, so that no response
   * is sent before its entry is stored. For the client it stays a safe method (RFC 9110 §9.2.1).
   */
  audited?: boolean;
  /** Status of success. Default 200. A call that creates a record sets 201; 204 has no body. */
  status?: 200 | 201 | 204;
  /** Status of success when the record already exists and is changed instead. */
  status_if_exists?: 200;
  path?: P;
  query?: Q;
  /** Rules over several query parameters, such as `nonEmptyRange`. */
  query_rules?: readonly z.core.$ZodCheck<z.output<z.ZodObject<Q>>>[];
  body?: B;
  /** Rules over path and body together, such as `otherThanPath`. */
  input_rules?: readonly z.core.$ZodCheck<unknown>[];
  /** Maximum bytes of the body. Default `SMALL_BODY`. It admits any valid body with every character escaped. */
  max_body?: number;
  /** Requests that one call counts as in the rate limits. Default 1; more for expensive calls. */
  cost?: number;
  output: O;
  /** Error codes in addition to the common ones (`refusalsOf`). `version_mismatch`: the call honours `If-Match`. */
  errors?: readonly ProblemCode[];
  /** Another content type of the response, selected by the `Accept` header. */
  other_type?: OtherType;
}

type CallSpec<P extends Shape, Q extends Shape, B extends z.ZodType, O extends z.ZodType, H extends Route> = CallParts<
  P,
  Q,
  B,
  O,
  H
> &
  Callers;

/** The parts of a declaration in their final form: parsed, or `null` if they are not declared. */
interface ResolvedParts<P extends Shape, Q extends Shape> {
  http: { method: Method; path: string } | null;
  other_type: OtherType | null;
  status_if_exists: 200 | null;
  child: 'named' | 'any' | null;
  path: z.ZodObject<P>;
  query: z.ZodObject<Q>;
}

const inputOf = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  parts: { path: P; query: Q; body: B },
  rules: readonly z.core.$ZodCheck<unknown>[] = [],
) => z.object(parts).check(...rules);

/** A declared call with all defaults applied. */
export interface Call<
  P extends Shape = Shape,
  Q extends Shape = Shape,
  B extends z.ZodType = z.ZodType,
  O extends z.ZodType = z.ZodType,
  H extends Route = Route,
>
  extends
    Required<Omit<CallParts<P, Q, B, O, H>, keyof ResolvedParts<P, Q> | 'query_rules' | 'input_rules'>>,
    ResolvedParts<P, Q> {
  roles: readonly [Role, ...Role[]] | 'anyone' | 'service';
  /** The records that each role can access; `null` if the callers are not people with roles. */
  access: AccessByRole | null;
  /** Users of the broker that may send the request. For calls of people it is the gateway. */
  called_by: readonly BrokerUser[];
  /** Path, query and body with all rules. */
  input: ReturnType<typeof inputOf<z.ZodObject<P>, z.ZodObject<Q>, B>>;
  /** The service that handles the call: the first part of the id. */
  service: string;
  /** The rest of the id. */
  endpoint: string;
  /** Only carries the type of the route; never set. */
  '~route'?: H;
  /** Cost with the other content type. */
  other_type_cost: number;
}

/** An absent body, or `{}`. */
const NoBody = z.strictObject({}).optional();

const splitRoute = (route: string): { method: Method; path: string } => {
  const [, method, path] = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/.exec(route) ?? [];
  if (method === undefined || path === undefined) throw new Error(`not a route: ${route}`);
  return { method: method as Method, path };
};

/** Declares a call and applies the defaults. Throws if the route is malformed or a role has no access rule. */
export const call = <
  const P extends Shape = {},
  const Q extends Shape = {},
  B extends z.ZodType = typeof NoBody,
  O extends z.ZodType = z.ZodType,
  const H extends Route = never,
>(
  spec: CallSpec<P, Q, B, O, H>,
): Call<P, Q, B, O, H> => {
  const parts = {
    path: z.strictObject(spec.path ?? ({} as P)),
    query: z.strictObject(spec.query ?? ({} as Q)).check(...(spec.query_rules ?? [])),
    body: spec.body ?? (NoBody as unknown as B),
  };
  return {
    ...spec,
    ...parts,
    input: inputOf(parts, spec.input_rules),
    service: spec.id.slice(0, spec.id.indexOf('.')),
    endpoint: spec.id.slice(spec.id.indexOf('.') + 1),
    called_by: spec.called_by ?? ['gateway'],
    access: typeof spec.roles === 'object' ? accessByRole(spec.id, spec.roles, spec.access) : null,
    audited: spec.audited ?? false,
    http: spec.http === undefined ? null : splitRoute(spec.http),
    other_type: spec.other_type ?? null,
    cost: spec.cost ?? 1,
    other_type_cost: spec.other_type === 'text/csv' ? EXPORT_COST : (spec.cost ?? 1),
    max_body: spec.max_body ?? SMALL_BODY,
    status_if_exists: spec.status_if_exists ?? null,
    child: spec.child ?? null,
    student_required: spec.student_required ?? false,
    scope: spec.scope ?? 'org',
    status: spec.status ?? 200,
    errors: spec.errors ?? [],
  };
};

export type AnyCall = Call<any, any, any, any, any>; // oxlint-disable-line no-explicit-any -- variance: any call is assignable to it
export type Calls = Readonly<Record<string, AnyCall>>;

/** The input of a handler: each part parsed by its schema. */
export interface Input<C extends AnyCall> {
  path: z.output<C['path']>;
  query: z.output<C['query']>;
  body: z.output<C['body']>;
}

/** The request of a client, before it is parsed. */
export interface Request<C extends AnyCall> {
  path: z.input<C['path']>;
  query: z.input<C['query']>;
  body: z.input<C['body']>;
}

export type Output<C extends AnyCall> = z.output<C['output']>;
