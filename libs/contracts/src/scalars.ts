import { z } from 'zod';
import { zoneName } from './zone-names.ts';

/** Control characters (U+0000 to U+001F, U+007F to U+009F) other than tab, LF and CRLF. A lone CR is one. */
// oxlint-disable-next-line no-control-regex -- the characters that are refused
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/;

/** Text that every store and every reader accepts: no control character, no lone surrogate. */
export const isCleanText = (value: string): boolean => !CONTROL.test(value) && value.isWellFormed();

/**
 * A text for formats that exclude control characters. Every line end becomes LF, tabs stay, other control characters
 * are removed: older texts may contain them.
 */
export const withoutControls = (value: string): string =>
  // oxlint-disable-next-line no-control-regex -- the characters that are removed
  value.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n').replaceAll(/(?![\t\n])[\u0000-\u001f\u007f-\u009f]/g, '');

/** The text that all texts of requests are made of. The check precedes changes: trimming removes some controls. */
const cleanText = () =>
  z.string().refine(isCleanText, {
    error: 'must not contain control characters (other than tab and line break) or lone surrogates',
  });

/** A character that leaves a mark on paper: spaces, format characters and combining marks alone are invisible. */
const VISIBLE = /[[\p{L}\p{N}\p{P}\p{S}\p{Co}]--[\p{Default_Ignorable_Code_Point}\u2800]]/v;

/** Without spaces around it; empty if no character is visible. A text with control characters has that problem only. */
const trimText = (value: string): string => {
  if (!isCleanText(value)) return value;
  return VISIBLE.test(value) ? value.trim() : '';
};

/**
 * A name or another text of one visible character to `max` characters. Spaces around it are removed, and it is stored
 * in NFC (Unicode UAX 15).
 */
export const text = (max: number) =>
  cleanText()
    .overwrite((value) => trimText(value).normalize())
    .min(1)
    .max(max);

/** Free text that may be empty, in NFC. */
export const prose = (max: number) =>
  cleanText()
    .overwrite((value) => value.normalize())
    .max(max);

/** A key that another system or record has given: like `text`, but never normalized, so that it stays equal. */
export const identifier = (max: number) => cleanText().overwrite(trimText).min(1).max(max);

/** In PATCH, an absent field keeps its value and `null` clears it. In POST, `null` is the same as absent. */
export const optional = <T extends z.ZodType>(schema: T) => schema.nullable().optional();

/** Id of a record or an organization. Requests accept any UUID; the system creates UUIDv7. */
export const ID = z.guid().toLowerCase();

/** Id of a person in records, responses and events. Requests take `PersonIdInput`. */
export const PersonId = z
  .string()
  .regex(/^[^\s/\p{C}]{1,128}$/u, 'must be 1 to 128 printable characters without space or /');

/**
 * Id of a person in requests, equal to `sub` of the token: 1 to 128 printable characters without space or `/`, and
 * neither `.` nor `..`. Browsers resolve these as segments of a path (RFC 3986 §5.2.4), so they address no person.
 */
export const PersonIdInput = z
  .string()
  .regex(
    /^(?!\.{1,2}$)[^\s/\p{C}]{1,128}$/u,
    'must be 1 to 128 printable characters without space or /, and not . or ..',
  );

/** Display name of a person in the directory, beside the id. */
export const PersonName = z
  .string()
  .nullable()
  .meta({ description: 'Display name in the directory; `null` if the directory does not contain the person' });

/** An enum in responses and events that may get further values. Readers must accept unknown values. */
export const openEnum = <const V extends readonly [string, ...string[]]>(values: V, description: string) =>
  z.enum(values).meta({
    description: `${description}. Further values may be added: accept unknown values`,
    'x-open-enum': true,
  });

/** Roles with their own access. A guardian has the access of the linked students. */
export const ROLES = ['SUPERVISOR', 'TEACHER', 'STUDENT'] as const;
/** All roles of tokens and of the directory. A guardian may do what the linked students may (`child` of a call). */
export const ALL_ROLES = [...ROLES, 'GUARDIAN'] as const;
export const Role = openEnum(ALL_ROLES, 'Role of the person');
export type Role = z.infer<typeof Role>;

/** Roles of the people who work for the organization. */
export const STAFF = ['SUPERVISOR', 'TEACHER'] as const satisfies readonly Role[];

/** First and last year of dates and instants in requests (rules, part 10). */
const [FIRST_YEAR, LAST_YEAR] = [1970, 2999];
/** The last date of the system. */
export const LAST_DATE = `${LAST_YEAR}-12-31`;
export const YEARS = `must be a date in the years ${FIRST_YEAR} to ${LAST_YEAR}`;
/** `value` is a local date or an instant in UTC. */
export const isInYears = (value: string): boolean => {
  const year = new Date(value).getUTCFullYear();
  return year >= FIRST_YEAR && year <= LAST_YEAR;
};

/** An instant in responses: RFC 3339 in UTC with milliseconds. */
export const Instant = z.string().meta({ format: 'date-time' });

/**
 * An instant in requests: RFC 3339 with any offset, in the years 1970 to 2999. The output is in UTC. A malformed one has
 * one problem, without `abort`: that would skip the rules over several fields.
 */
export const InstantInput = z.iso
  .datetime({ offset: true })
  .refine(isInYears, { error: YEARS, when: ({ issues }) => issues.length === 0 })
  .transform((value) => new Date(value).toISOString())
  .meta({ format: 'date-time' });

/** A local date in responses: `YYYY-MM-DD`. */
export const LocalDate = z.iso.date();

/** A local date in requests, in the years 1970 to 2999. */
export const LocalDateInput = LocalDate.transform((value, context) => {
  if (!isInYears(value)) context.addIssue({ code: 'custom', message: YEARS, input: value });
  return value;
});

/** A local time of day: `HH:MM`, 24 hours. */
export const LocalTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, HH:MM');

/** An IANA time zone such as `Asia/Shanghai`. The output has the spelling of the tz database. */
export const Zone = z
  .string()
  .max(64)
  .refine((value) => zoneName(value) !== undefined, {
    error: 'must be an IANA time zone, such as Asia/Shanghai',
  })
  .overwrite((value) => zoneName(value) ?? value);

/** Lesson hours and other exact decimals in responses: a string with two places. */
export const Decimal = z.string().regex(/^-?\d+\.\d{2}$/);

/** The form of our own responses, which clients usually send back. */
const WITH_TWO_PLACES = /^(0|[1-9]\d*)\.\d{2}$/;

const toTwoPlaces = (value: string): string => {
  if (WITH_TWO_PLACES.test(value)) return value;
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value) ?? [];
  const digits = `${whole.replace(/^0+(?=\d)/, '')}.${fraction.padEnd(2, '0')}`;
  return digits === '0.00' ? digits : sign + digits;
};

/** The limits of exact decimals in requests. */
export const DECIMALS = z.registry<{ minimum: number; maximum: number }>();
const MOST = 1_000_000;

/**
 * An exact decimal in requests: a string or a number with at most two places. The output is a string with two places,
 * so that balances are never calculated with floats.
 */
export const decimalInput = (min: number, max = MOST) =>
  z
    .union([z.string().regex(/^-?\d{1,9}(\.\d{1,2})?$/, 'must be a decimal with at most two places'), z.number()])
    .transform((value) => String(value))
    .refine((value) => /^-?\d{1,9}(\.\d{1,2})?$/.test(value), 'must be a decimal with at most two places')
    .refine((value) => Number(value) >= min && Number(value) <= max, `must be from ${min} to ${max}`)
    .transform(toTwoPlaces)
    .register(DECIMALS, { minimum: min, maximum: max });

/** Lesson hours that are granted, charged or planned. */
export const HoursInput = decimalInput(0);

/** Ids in responses between services whose deletion is in progress and may still fail. */
export const IdsBeingDeleted = z.array(ID).default([]);

/** Money: an integer count of the currency's minor unit. */
export const Minor = z.int().min(0).max(1_000_000_000_000);

/** Currency code (ISO 4217). */
export const Currency = z.string().regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code of three capital letters');
