import { type AnyCall, Problem, type Role, type AccessRule } from '@teaching/contracts';
import type { Caller } from './session.ts';

/** The people related to a record, by access rule. `true` and `false` answer for the caller directly. */
export type RelatedPeople = Readonly<
  Partial<Record<AccessRule, string | null | undefined | readonly string[] | boolean>>
>;

/** A role that may not access everything, with its access rules. */
type LimitedRole = Readonly<{ role: Role; rules: readonly AccessRule[] }>;

const limitedRolesByCall = new WeakMap<object, readonly LimitedRole[]>();
/** The limited roles of a call, whichever role the caller has. Computed once for each call. */
const limitedRolesOf = (call: Pick<AnyCall, 'access'>): readonly LimitedRole[] => {
  let limited = limitedRolesByCall.get(call);
  if (limited === undefined) {
    limited = Object.entries(call.access ?? {}).flatMap(([role, rules]) =>
      rules === 'all' ? [] : [{ role: role as Role, rules }],
    );
    limitedRolesByCall.set(call, limited);
  }
  return limited;
};

/**
 * Decides which records the caller of one call may access, by the contract of the call (`access`). Handlers compare
 * neither people nor roles. A handler passes the people related to a record, and the contract names the rules of each
 * role. A caller with several roles may access the records that any of the roles may access. A handler that does not
 * check access fails, unless no role of its call is limited.
 */
export class AccessFilter {
  readonly #call: Pick<AnyCall, 'id' | 'access'>;
  readonly #caller: Pick<Caller, 'user_id' | 'roles'>;
  readonly #limited: readonly LimitedRole[];
  #cachedRules: 'all' | ReadonlySet<AccessRule> | undefined;
  #isChecked = false;

  constructor(call: Pick<AnyCall, 'id' | 'access'>, caller: Pick<Caller, 'user_id' | 'roles'>) {
    this.#call = call;
    this.#caller = caller;
    this.#limited = limitedRolesOf(call);
  }

  /** The rules of all roles of the caller. One of them is enough. */
  get #rules(): 'all' | ReadonlySet<AccessRule> {
    if (this.#cachedRules === undefined) {
      const own = this.#caller.roles.flatMap((role) => this.#call.access?.[role] ?? []);
      this.#cachedRules = own.includes('all') ? 'all' : new Set(own.filter((rule) => rule !== 'all'));
    }
    return this.#cachedRules;
  }

  /** Whether the caller may access the record. Rules that the contract does not name for their roles are ignored. */
  allows(related: RelatedPeople): boolean {
    const given = Object.keys(related) as AccessRule[];
    if (!this.#decides(given)) this.#failForRules(given);
    this.#isChecked = true;
    return this.#rules === 'all' || [...this.#rules].some((rule) => this.#includesCaller(related[rule]));
  }

  /**
   * Refuses a record that the caller may not access: with 403 and `refusal` as the detail, or with the given problem.
   */
  requireAccess(related: RelatedPeople, refusal: string | Problem): void {
    if (this.allows(related)) return;
    throw typeof refusal === 'string' ? new Problem('forbidden', refusal) : refusal;
  }

  /** Refuses with 403 a record that only its owner or a supervisor may change. */
  requireOwner(owner: string): void {
    this.requireAccess({ owner }, 'Only the owner or a supervisor may change this');
  }

  /**
   * The owner of a new record: `wanted`, else the caller. Refuses with 403 an owner for whom the caller may not create
   * it.
   */
  resolveOwner(wanted: string | null | undefined): string {
    const owner = wanted ?? this.#caller.user_id;
    this.requireAccess({ owner }, 'Only a supervisor may name another owner');
    return owner;
  }

  /**
   * Whether the caller may access only some records, among them those of this rule. For lists, and for handlers that
   * let a statement check the rule.
   */
  isLimitedTo(rule: AccessRule): boolean {
    if (!this.#limited.some(({ rules }) => rules.includes(rule))) this.#failForRules([rule]);
    this.#isChecked ||= this.#decides([rule]);
    return this.#rules !== 'all' && this.#rules.has(rule);
  }

  /** The caller's id, for a call that returns only the caller's own records. */
  requireSelf(): string {
    this.requireAccess({ self: this.#caller.user_id }, 'This call returns only the records of the caller');
    return this.#caller.user_id;
  }

  /**
   * The people whose records a call returns. A caller with only the rule `self` gets their own id; 403 if they request
   * another person. Every other caller gets `requested`; undefined means no filter.
   */
  requestedPeople(
    requested: readonly string[] | undefined,
    refusal = 'Students may request only their own records',
  ): typeof requested {
    this.isLimitedTo('self');
    if (!this.#isLimitedToSelf()) return requested;
    if (requested?.some((id) => id !== this.#caller.user_id) === true) throw new Problem('forbidden', refusal);
    return [this.#caller.user_id];
  }

  /** `requestedPeople` for one person. */
  requestedPerson(requested: string | null | undefined, refusal?: string): string | undefined {
    return this.requestedPeople(requested == null ? undefined : [requested], refusal)?.[0];
  }

  /**
   * The one student of a call. Its contract requires one from staff (`student_required`), at `path`; a caller who is
   * also a student may leave it out.
   */
  requestedStudent(requested: string | null | undefined, path: string, refusal?: string): string {
    const student_id = this.requestedPerson(requested, refusal);
    if (student_id !== undefined) return student_id;
    if (this.#caller.roles.includes('STUDENT')) return this.#caller.user_id;
    throw new Error(`${this.#call.id} does not require ${path} from staff`);
  }

  /** Forgets the checks of `prepare`: the records may have changed since. */
  resetChecks(): void {
    this.#isChecked = false;
  }

  /** Throws if the handler did not check access. Called before its answer is sent. */
  requireChecked(): void {
    if (!this.#isChecked && this.#limited.length > 0) throw new Error(`${this.#call.id} did not check access`);
  }

  #isLimitedToSelf(): boolean {
    return this.#rules !== 'all' && [...this.#rules].every((rule) => rule === 'self');
  }

  #includesCaller(people: RelatedPeople[AccessRule]): boolean {
    if (typeof people === 'boolean') return people;
    return [people].flat().includes(this.#caller.user_id);
  }

  /** Whether these rules decide for every limited role of the call, so that a mistake shows for every caller. */
  #decides(given: readonly AccessRule[]): boolean {
    return this.#limited.every(({ rules }) => rules.some((rule) => given.includes(rule)));
  }

  /** The handler checked other rules than its contract names. */
  #failForRules(given: readonly AccessRule[]): never {
    const declared = this.#limited.map(({ role, rules }) => `${rules.join(', ')} for a ${role}`).join('; ');
    throw new Error(
      `${this.#call.id} has the access rules ${declared || 'none'}, but the handler checked ${given.join(', ')}`,
    );
  }
}
