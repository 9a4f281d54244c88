import { type AnyCall, Problem, type Role, type AccessRule } from '@teaching/contracts';
import type { Caller } from './session.ts';

/** Whose a thing is by each rule: the people for whom it is so, or whether it is so for the caller. */
export type RelatedPeople = Readonly<
  Partial<Record<AccessRule, string | null | undefined | readonly string[] | boolean>>
>;

/** A role that does not reach everything, with the rules it goes by. */
type Limited = Readonly<{ role: Role; rules: readonly AccessRule[] }>;

const limitedOf = new WeakMap<object, readonly Limited[]>();
/** Those of a call: the same for all who call. */
const limitedBy = (call: Pick<AnyCall, 'access'>): readonly Limited[] => {
  let limited = limitedOf.get(call);
  if (limited === undefined) {
    limited = Object.entries(call.access ?? {}).flatMap(([role, rules]) =>
      rules === 'all' ? [] : [{ role: role as Role, rules }],
    );
    limitedOf.set(call, limited);
  }
  return limited;
};

/**
 * What the caller of one call reaches, as its contract says (`whose`). Handlers compare neither people nor roles: they say
 * of a thing whose it is by each rule, and the contract says which rule counts for which role. Whose several roles
 * differ reaches what any of them does. A call whose handler did not ask is not answered.
 */
export class AccessFilter {
  readonly #call: Pick<AnyCall, 'id' | 'access'>;
  readonly #caller: Pick<Caller, 'user_id' | 'roles'>;
  readonly #limited: readonly Limited[];
  #found: 'all' | ReadonlySet<AccessRule> | undefined;
  #isAsked = false;

  constructor(call: Pick<AnyCall, 'id' | 'access'>, caller: Pick<Caller, 'user_id' | 'roles'>) {
    this.#call = call;
    this.#caller = caller;
    this.#limited = limitedBy(call);
  }

  /** By any of these. */
  get #rules(): 'all' | ReadonlySet<AccessRule> {
    if (this.#found === undefined) {
      const own = this.#caller.roles.flatMap((role) => this.#call.access?.[role] ?? []);
      this.#found = own.includes('all') ? 'all' : new Set(own.filter((rule) => rule !== 'all'));
    }
    return this.#found;
  }

  /** Whether it is theirs. What the contract does not name counts for nothing. */
  covers(standing: RelatedPeople): boolean {
    const given = Object.keys(standing) as AccessRule[];
    if (!this.#decides(given)) this.#mistaken(given);
    this.#isAsked = true;
    return this.#rules === 'all' || [...this.#rules].some((rule) => this.#holds(standing[rule]));
  }

  /** Refuses what is not theirs: with 403, or as `refusal` says. */
  require(standing: RelatedPeople, refusal: string | Problem): void {
    if (this.covers(standing)) return;
    throw typeof refusal === 'string' ? new Problem('forbidden', refusal) : refusal;
  }

  /** The same for what its owner or a supervisor changes. */
  requireOwner(owner: string): void {
    this.require({ owner }, 'Only the owner or a supervisor may change this');
  }

  /** Whose a record becomes: the caller's, unless they reach more and name somebody else. */
  ownerOf(wanted: string | null | undefined): string {
    const owner = wanted ?? this.#caller.user_id;
    this.require({ owner }, 'Only a supervisor may name another owner');
    return owner;
  }

  /** Whether not everything is theirs, but what is so by this rule: for lists, and where a statement finds out. */
  goesBy(rule: AccessRule): boolean {
    if (!this.#limited.some(({ rules }) => rules.includes(rule))) this.#mistaken([rule]);
    this.#isAsked ||= this.#decides([rule]);
    return this.#rules !== 'all' && this.#rules.has(rule);
  }

  /** The caller, of whom alone such a call is. */
  self(): string {
    this.require({ self: this.#caller.user_id }, 'Nobody else is shown');
    return this.#caller.user_id;
  }

  /**
   * Whom a call is about: themselves, and 403 for anybody else, where they reach nobody but themselves; else whoever is
   * asked for, or nobody in particular.
   */
  peopleAsked(asked: readonly string[] | undefined, refusal = 'Students ask for themselves only'): typeof asked {
    this.goesBy('self');
    if (!this.#isAboutSelf()) return asked;
    if (asked?.some((id) => id !== this.#caller.user_id) === true) throw new Problem('forbidden', refusal);
    return [this.#caller.user_id];
  }

  /** The same of one. */
  personAsked(asked: string | null | undefined, refusal?: string): string | undefined {
    return this.peopleAsked(asked == null ? undefined : [asked], refusal)?.[0];
  }

  /** The one student it is about. Staff say whom at `path`, or mean themselves if they are students, too. */
  studentAsked(asked: string | null | undefined, path: string, refusal?: string): string {
    const student_id = this.personAsked(asked, refusal);
    if (student_id !== undefined) return student_id;
    if (this.#caller.roles.includes('STUDENT')) return this.#caller.user_id;
    throw new Problem('invalid_request', { errors: [{ path, message: 'is needed from staff' }] });
  }

  /** After `prepare`: what was found there may have changed. */
  askAgain(): void {
    this.#isAsked = false;
  }

  /** Refuses to answer for a handler that did not ask. */
  requireAsked(): void {
    if (!this.#isAsked && this.#limited.length > 0) throw new Error(`${this.#call.id} did not ask whose it is`);
  }

  #isAboutSelf(): boolean {
    return this.#rules !== 'all' && [...this.#rules].every((rule) => rule === 'self');
  }

  #holds(people: RelatedPeople[AccessRule]): boolean {
    if (typeof people === 'boolean') return people;
    return [people].flat().includes(this.#caller.user_id);
  }

  /** Whether these say enough for each role, whoever calls. */
  #decides(given: readonly AccessRule[]): boolean {
    return this.#limited.every(({ rules }) => rules.some((rule) => given.includes(rule)));
  }

  /** What is asked has to be what the contract says. */
  #mistaken(given: readonly AccessRule[]): never {
    const said = this.#limited.map(({ role, rules }) => `${rules.join(', ')} for a ${role}`).join('; ');
    throw new Error(`${this.#call.id} goes by ${said || 'no rule'}, not by ${given.join(', ')}`);
  }
}
