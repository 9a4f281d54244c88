import { z } from 'zod';

/** Text that Postgres and JSON can both hold: no U+0000, no lone surrogate. */
const storable = (value: string): boolean => !value.includes('\u0000') && value.isWellFormed();

/** Trimmed, non-empty text of at most `max` characters. */
export const text = (max: number) =>
  z.string().trim().min(1).max(max).refine(storable, 'contains characters that cannot be stored');

/** Free text that may be empty. */
export const prose = (max: number) => z.string().max(max).refine(storable, 'contains characters that cannot be stored');

/** PATCH: absent keeps, `null` clears. POST: `null` is the same as absent. */
export const optional = <T extends z.ZodType>(schema: T) => schema.nullable().optional();

/** A record id or org id: any UUID text is taken, of whatever version; ours are UUIDv7. */
export const ID = z.guid().toLowerCase();

/** A person, as named by the token's `sub`: 1–128 printable characters without space or `/`. */
export const PersonId = z
  .string()
  .regex(/^[^\s/\p{C}]{1,128}$/u, 'must be 1 to 128 printable characters without space or /');

/** What the directory calls a person, beside their id. */
export const PersonName = z
  .string()
  .nullable()
  .meta({ description: 'What the directory calls them; null when it does not know the person' });

/** Values in answers and events that may become more: who reads them must accept others, and so may they grow. */
export const openEnum = <const V extends readonly [string, ...string[]]>(values: V, what: string) =>
  z.enum(values).meta({
    description: `${what}. Further values may come: accept those that you do not know`,
    'x-open-enum': true,
  });

/** Roles with an access of their own: what may be done by none but them is not a guardian's either. */
export const ROLES = ['SUPERVISOR', 'TEACHER', 'STUDENT'] as const;
/** Every role that a token or the directory may name: a guardian does for linked students what these may (`child` of a call), and reads what is there for everybody. */
export const ALL_ROLES = [...ROLES, 'GUARDIAN'] as const;
export const Role = openEnum(ALL_ROLES, 'What somebody may be');
export type Role = z.infer<typeof Role>;

/** Who works for the organization. */
export const STAFF = ['SUPERVISOR', 'TEACHER'] as const satisfies readonly Role[];

/** The years that a date or an instant in a request may lie in (rules, part 10). */
const [FIRST_YEAR, LAST_YEAR] = [1970, 2999];
const YEARS = `must be in the years ${FIRST_YEAR} to ${LAST_YEAR}`;
/** Of a day, or of an instant in UTC. */
const isInYears = (value: string): boolean => {
  const year = new Date(value).getUTCFullYear();
  return year >= FIRST_YEAR && year <= LAST_YEAR;
};

/** An instant in answers: RFC 3339, UTC, milliseconds. */
export const Instant = z.string().meta({ format: 'date-time' });

/** An instant in requests: RFC 3339 with any offset, in the years 1970 to 2999; read as UTC. */
export const InstantInput = z.iso
  .datetime({ offset: true })
  .refine(isInYears, YEARS)
  .transform((value) => new Date(value).toISOString())
  .meta({ format: 'date-time' });

/** A calendar day without zone in answers: `YYYY-MM-DD`. */
export const LocalDate = z.iso.date();

/** A calendar day in requests: one of the years 1970 to 2999. */
export const LocalDateInput = LocalDate.transform((value, context) => {
  if (!isInYears(value)) context.addIssue({ code: 'custom', message: YEARS, input: value });
  return value;
});

/** A wall-clock time `HH:MM`. */
export const LocalTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM');

const isZone = (value: string): boolean => {
  try {
    return /^[A-Za-z]/.test(value) && Boolean(new Intl.DateTimeFormat('en', { timeZone: value }));
  } catch {
    return false;
  }
};

/** An IANA time zone such as `Asia/Shanghai`. */
export const Zone = z.string().max(64).refine(isZone, 'is not an IANA time zone');

/** Lesson hours and other exact decimals in answers: two places, as a string. */
export const Decimal = z.string().regex(/^-?\d+\.\d{2}$/);

/** What our own answers say comes back as a rule. */
const WITH_TWO_PLACES = /^(0|[1-9]\d*)\.\d{2}$/;

const toTwoPlaces = (value: string): string => {
  if (WITH_TWO_PLACES.test(value)) return value;
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value) ?? [];
  const digits = `${whole.replace(/^0+(?=\d)/, '')}.${fraction.padEnd(2, '0')}`;
  return digits === '0.00' ? digits : sign + digits;
};

/** Exact decimals in requests: what they may be. */
export const DECIMALS = z.registry<{ minimum: number; maximum: number }>();
const MOST = 1_000_000;

/**
 * An exact decimal in requests: a string or a number with at most two places, read as a
 * two-place string. Never a float: `0.1 + 0.2` cannot happen to a balance.
 */
export const decimalInput = (min: number, max = MOST) =>
  z
    .union([z.string().regex(/^-?\d{1,9}(\.\d{1,2})?$/, 'must have at most two places'), z.number()])
    .transform((value) => String(value))
    .refine((value) => /^-?\d{1,9}(\.\d{1,2})?$/.test(value), 'must have at most two places')
    .refine((value) => Number(value) >= min && Number(value) <= max, `must be from ${min} to ${max}`)
    .transform(toTwoPlaces)
    .register(DECIMALS, { minimum: min, maximum: max });

/** Lesson hours that are granted, charged or planned. */
export const HoursInput = decimalInput(0);

/** Ids in an answer between services whose deletion is under way: whether they stay is not decided yet. */
export const Leaving = z.array(ID).default([]);

/** Money: an integer count of the currency's minor unit. */
export const Minor = z.int().min(0).max(1_000_000_000_000);

/** ISO 4217 code. */
export const Currency = z.string().regex(/^[A-Z]{3}$/, 'must be three capital letters');
