import {
  type AnyCall,
  COMMA_SEPARATED,
  type FieldProblem,
  type Input,
  notFound,
  Problem,
  STAFF,
} from '@teaching/contracts';
import { z } from 'zod';
import type { RawInput } from './parse-input.ts';
import type { Caller } from './session.ts';

/** A student for whom a guardian acts. */
export interface Child {
  student_id: string;
  /** Whether the guardian may see payments. */
  money: boolean;
}

/** The person as whom a call is performed: the caller, or a child of a calling guardian. */
export type Actor = Pick<Caller, 'user_id' | 'roles' | 'guardian'>;

/** The people as whom a call is tried, in this order. `isHidden`: if all of them are refused, the answer is 404. */
interface Candidates {
  people: readonly Actor[];
  isHidden: boolean;
}

const INPUT_PARTS = ['path', 'query', 'body'] as const;
const StudentInput = z.looseObject({ student_id: z.union([z.string(), z.array(z.string())]).nullish() });

/** The part of the input that names the student. The body is the default, since its schema may have any form. */
const studentPartOf = (call: AnyCall): (typeof INPUT_PARTS)[number] =>
  Object.hasOwn(call.path.shape, 'student_id')
    ? 'path'
    : Object.hasOwn(call.query.shape, 'student_id')
      ? 'query'
      : 'body';

/** The students that the request names. */
const namedStudents = (call: AnyCall, input: Input<AnyCall>): readonly string[] => {
  const { student_id } = StudentInput.safeParse(input[studentPartOf(call)]).data ?? {};
  return student_id == null ? [] : [student_id].flat();
};

const studentProblem = (call: AnyCall, message: string): FieldProblem => ({
  path: `/${studentPartOf(call)}/student_id`,
  message,
});

/** Whether a query parameter is a filter by several values. */
const isSeveral = (parameter: z.ZodType | undefined): boolean =>
  parameter instanceof z.ZodOptional
    ? isSeveral(parameter.unwrap() as z.ZodType)
    : parameter !== undefined && COMMA_SEPARATED.has(parameter);

/** Whether `student_id` only chooses the child of a guardian, so that it means nothing for other callers. */
const choosesChild = (call: AnyCall): boolean =>
  call.child === 'any' && studentPartOf(call) !== 'path' && !isSeveral(call.query.shape['student_id']);

/**
 * Problems of the student that a request names or does not name. Guardians name the child, and some calls need a
 * student from staff (`student_required` of a call). Staff who are no guardians have no child to choose.
 */
export const studentProblems = (
  call: AnyCall,
  { user_id, roles }: Pick<Caller, 'user_id' | 'roles'>,
  input: RawInput,
): FieldProblem[] => {
  const problem = (message: string): FieldProblem[] => [studentProblem(call, message)];
  const found = StudentInput.safeParse(input[studentPartOf(call)]);
  // The schema refuses any other value.
  if (found.error?.issues.some(({ path }) => path.length > 0)) return [];
  const named = found.data?.student_id;
  const isStudent = roles.includes('STUDENT');
  const others = roles.filter((role) => role !== 'GUARDIAN');
  if (named != null) {
    const isStaffOnly = hasRoleOf(roles, STAFF) && !roles.includes('GUARDIAN') && !(isStudent && named === user_id);
    return choosesChild(call) && isStaffOnly ? problem('applies to guardians only') : [];
  }
  if (call.child === 'named' && !hasRoleOf(others, call.roles)) return problem('is required from guardians');
  const isRequired = call.student_required && hasRoleOf(roles, STAFF) && !isStudent;
  return isRequired ? problem('is required from staff') : [];
};

const hasRoleOf = (roles: Caller['roles'], allowed: AnyCall['roles']): boolean =>
  roles.some((role) => allowed.includes(role));

/**
 * Whether the call may be performed for a guardian themselves, in their other roles. A call that has to name a child
 * leaves this to its handler; in other calls a guardian without a staff role may name only themselves.
 */
const mayActAsSelf = (call: AnyCall, { user_id, roles }: Actor, named: readonly string[]): boolean =>
  call.child === 'named' || hasRoleOf(roles, STAFF) || named.every((id) => id === user_id);

const asChild =
  ({ user_id }: Actor) =>
  ({ student_id, money }: Child): Actor => ({
    user_id: student_id,
    roles: ['STUDENT'],
    guardian: { user_id, money },
  });

/** The children of a request: the named ones, or all if it names none. Empty if a named student is not among them. */
const requestedChildren = (call: AnyCall, named: readonly string[], children: readonly Child[]): readonly Child[] => {
  if (named.length === 0) return children;
  const found = children.filter(({ student_id }) => named.includes(student_id));
  if (found.length < named.length) return [];
  if (found.length > 1) throw new Problem('invalid_request', { errors: [studentProblem(call, 'must name one child')] });
  return found;
};

/**
 * The people as whom a call is tried that guardians may make for their children (`child` in the contract): the caller
 * with their other roles, then each requested child. A person who chooses a child acts for that child only. A person who
 * names or chooses only students that are not their children is refused with 404.
 */
export const candidateActors = async (
  call: AnyCall,
  caller: Actor,
  input: Input<AnyCall>,
  childrenOf: () => Promise<readonly Child[]>,
): Promise<Candidates> => {
  if (call.child === null) return { people: [caller], isHidden: false };
  const named = namedStudents(call, input);
  const isOtherChosen = choosesChild(call) && named.some((id) => id !== caller.user_id);
  if (!caller.roles.includes('GUARDIAN')) return { people: isOtherChosen ? [] : [caller], isHidden: isOtherChosen };
  const others = caller.roles.filter((role) => role !== 'GUARDIAN');
  const isAsSelf = !isOtherChosen && hasRoleOf(others, call.roles) && mayActAsSelf(call, caller, named);
  const self = isAsSelf ? [{ ...caller, roles: others }] : [];
  if (call.child === 'named' && named.length !== 1 && self.length > 0) return { people: self, isHidden: false };
  const children = requestedChildren(call, named, await childrenOf());
  return {
    people: [...self, ...children.map(asChild(caller))],
    isHidden: call.child === 'any' || children.length === 0,
  };
};

/** Whether the next person is tried: this one may not access the record, or it does not exist for them. */
const isRefusedToPerson = (error: unknown): boolean =>
  error instanceof Problem && (error.code === 'not_found' || error.code === 'forbidden');

/** Does the work as one person after the other, until one of them is not refused. */
export const tryEachActor = async <T>(
  { people, isHidden }: Candidates,
  work: (as: Actor) => Promise<T>,
): Promise<T> => {
  let refusal: unknown;
  for (const person of people) {
    try {
      return await work(person);
    } catch (error) {
      if (!isRefusedToPerson(error)) throw error;
      refusal = error;
    }
  }
  const isReported = refusal !== undefined && !isHidden;
  throw isReported || (refusal instanceof Problem && refusal.code === 'not_found') ? refusal : notFound('Record');
};
