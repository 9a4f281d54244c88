import type { Output, publicCalls } from '../../../libs/contracts/src/index.ts';

type EveryCall = (typeof publicCalls)[keyof typeof publicCalls];

type IsOpen<T extends string> = {} extends Record<T, 1> ? true : false;
/** A placeholder is a parameter when it is a whole segment. A segment with other text around it has no known type. */
type Segment<S extends string> = S extends `{${string}}`
  ? '*'
  : string extends S
    ? '*'
    : IsOpen<S> extends true
      ? 'unknown'
      : S;
// `/a/{id}/b` and `/a/${string}/b` both become `/a/*/b`.
type Key<P extends string> = P extends `/${infer Head}/${infer Rest}`
  ? `/${Segment<Head>}${Key<`/${Rest}`>}`
  : P extends `/${infer Last}`
    ? `/${Segment<Last>}`
    : '';
type Bare<P extends string> = P extends `${infer Path}?${string}` ? Path : P;

type RouteOf<C> = C extends { '~route'?: infer R extends string } ? R : never;
type RouteKey<R extends string> = R extends `${infer M} /api/v1${infer P}` ? `${M} ${Key<P>}` : never;

/** The body of a success of each route, by method and path. */
type Answers = { [C in EveryCall as RouteKey<RouteOf<C>>]: Output<C> };

export type BodyOf<M extends string, P extends string> = `${M} ${Key<Bare<P>>}` extends infer K extends keyof Answers
  ? Answers[K]
  : unknown;
