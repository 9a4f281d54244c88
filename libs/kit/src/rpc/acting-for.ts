import { type AnyCall, type Input, notFound, Problem, STAFF } from '@teaching/contracts';
import { z } from 'zod';
import type { Caller } from './session.ts';

/** A student for whom a guardian acts. */
export interface Child {
  student_id: string;
  /** Whether the guardian may see what was paid. */
  money: boolean;
}

/** As whom a call is performed: who calls, or for a guardian a child of theirs. */
export type ActingAs = Pick<Caller, 'user_id' | 'roles' | 'guardian'>;

/** All as whom a call may be performed, in turn; `isHidden`: who is refused as all of them hears that there is no such thing. */
interface Ways {
  people: readonly ActingAs[];
  isHidden: boolean;
}

const PLACES = ['path', 'query', 'body'] as const;
const Named = z.looseObject({ student_id: z.union([z.string(), z.array(z.string())]).nullish() });

/** Where a call names the student: the last place is the body, whose schema may be of any form. */
const placeOf = (call: AnyCall): (typeof PLACES)[number] =>
  Object.hasOwn(call.path.shape, 'student_id')
    ? 'path'
    : Object.hasOwn(call.query.shape, 'student_id')
      ? 'query'
      : 'body';

/** Whom the request names as its student. */
const namedIn = (call: AnyCall, input: Input<AnyCall>): readonly string[] => {
  const { student_id } = Named.safeParse(input[placeOf(call)]).data ?? {};
  return student_id == null ? [] : [student_id].flat();
};

const refuse = (call: AnyCall, message: string): Problem =>
  new Problem('invalid_request', { errors: [{ path: `/${placeOf(call)}/student_id`, message }] });

const isOf = (roles: Caller['roles'], who: AnyCall['roles']): boolean => roles.some((role) => who.includes(role));

/** Whether a guardian may mean themselves, as what else they are: not where a child is chosen; elsewhere handlers say. */
const isAboutSelf = (call: AnyCall, { user_id, roles }: ActingAs, named: readonly string[]): boolean =>
  call.child === 'named' || isOf(roles, STAFF) || named.every((id) => id === user_id);

const asChild =
  ({ user_id }: ActingAs) =>
  ({ student_id, money }: Child): ActingAs => ({
    user_id: student_id,
    roles: ['STUDENT'],
    guardian: { user_id, money },
  });

/** The children that a request is about: who is named, else all, where the call looks through them. */
const childrenMeant = (call: AnyCall, named: readonly string[], children: readonly Child[]): readonly Child[] => {
  if (named.length === 0) return children;
  const meant = children.filter(({ student_id }) => named.includes(student_id));
  if (meant.length < named.length) return [];
  if (meant.length > 1) throw refuse(call, 'names one child');
  return meant;
};

/**
 * As whom a call is performed that guardians may make for their children (`child` in the contract): as what the caller is
 * without that role, then as each child that is meant. A guardian who has to name the child and does not is refused with
 * 400; who means none of theirs, with 404.
 */
export const actingPeople = async (
  call: AnyCall,
  caller: ActingAs,
  input: Input<AnyCall>,
  childrenOf: () => Promise<readonly Child[]>,
): Promise<Ways> => {
  if (call.child === null || !caller.roles.includes('GUARDIAN')) return { people: [caller], isHidden: false };
  const named = namedIn(call, input);
  const others = caller.roles.filter((role) => role !== 'GUARDIAN');
  const self = isOf(others, call.roles) && isAboutSelf(call, caller, named) ? [{ ...caller, roles: others }] : [];
  if (call.child === 'named' && named.length !== 1 && self.length > 0) return { people: self, isHidden: false };
  if (call.child === 'named' && named.length === 0) throw refuse(call, 'is needed from guardians');
  const children = childrenMeant(call, named, await childrenOf());
  return {
    people: [...self, ...children.map(asChild(caller))],
    isHidden: call.child === 'any' || children.length === 0,
  };
};

/** Whether somebody else may be heard: this one may not, or there is nothing for them. */
const isForOthers = (error: unknown): boolean =>
  error instanceof Problem && (error.code === 'not_found' || error.code === 'forbidden');

/** Does the work as each of them in turn, until one is not refused. */
export const tryEachPerson = async <T>({ people, isHidden }: Ways, work: (as: ActingAs) => Promise<T>): Promise<T> => {
  let refusal: unknown;
  for (const person of people) {
    try {
      return await work(person);
    } catch (error) {
      if (!isForOthers(error)) throw error;
      refusal = error;
    }
  }
  const isToldSo = refusal !== undefined && !isHidden;
  throw isToldSo || (refusal instanceof Problem && refusal.code === 'not_found') ? refusal : notFound('Record');
};
