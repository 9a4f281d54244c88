import { language } from './language.ts';
import { me } from './session.ts';
import { chineseDateRange, distanceOf } from './zone.rules.ts';

/** Formats dates, numbers and money in the chosen language and in the zone of the organization. */

const formatters = new Map<string, unknown>();
const cachedFormatter = <T>(key: string, make: () => T): T => {
  if (!formatters.has(key)) formatters.set(key, make());
  return formatters.get(key) as T; // a key begins with its kind, so each key has one type of value
};

/** The organization's zone; the viewer's own until the organization is known. */
export const orgZone = (): string => me.value?.policy.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

const dateFormatter = (options: Intl.DateTimeFormatOptions, zone: string): Intl.DateTimeFormat =>
  cachedFormatter(`date ${language.value} ${zone} ${JSON.stringify(options)}`, () =>
    Intl.DateTimeFormat(language.value === 'en' ? 'en-GB' : language.value, { timeZone: zone, ...options }),
  );

type Instant = string | number | Date;
const formatted = (when: Instant, options: Intl.DateTimeFormatOptions, zone = orgZone()): string =>
  dateFormatter(options, zone).format(new Date(when));

/** `09:30` */
export const time = (when: Instant): string =>
  formatted(when, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
/** `09:30–10:30` */
export const times = (from: Instant, to: Instant): string => `${time(from)}–${time(to)}`;
/** `Mon 23 Nov` */
export const day = (when: Instant): string => formatted(when, { weekday: 'short', day: 'numeric', month: 'short' });
/** `Monday 23 November` */
export const longDay = (when: Instant): string => formatted(when, { weekday: 'long', day: 'numeric', month: 'long' });
/** `23 Nov 2026` */
export const date = (when: Instant): string => formatted(when, { day: 'numeric', month: 'short', year: 'numeric' });
/** The last moment before an expiry. A lot that expires at midnight is valid until the day before. */
export const lastMomentBefore = (expires_at: string): Date => new Date(Date.parse(expires_at) - 1);
const DAY_TIME: Intl.DateTimeFormatOptions = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
};
/** `Mon 23 Nov, 09:30` */
export const dayTime = (when: Instant): string => formatted(when, DAY_TIME);

const noon = (local: string): Date => new Date(`${local}T12:00:00Z`);
/** Formats local dates, which have no zone. */
export const localDay = (local: string): string =>
  formatted(noon(local), { weekday: 'short', day: 'numeric', month: 'short' }, 'UTC');
export const localLongDay = (local: string): string =>
  formatted(noon(local), { weekday: 'long', day: 'numeric', month: 'long' }, 'UTC');
export const localDate = (local: string): string =>
  formatted(noon(local), { day: 'numeric', month: 'short', year: 'numeric' }, 'UTC');
/** Formats a local date and time, `2026-11-23T09:30`. */
export const localDayTime = (local: string): string => formatted(`${local}Z`, DAY_TIME, 'UTC');
/** `30 Nov – 6 Dec 2026` */
export const localRange = (from: string, to: string): string => {
  if (from === to) return localDate(from);
  if (language.value === 'zh-CN') return chineseDateRange(from, to);
  const format = dateFormatter({ day: 'numeric', month: 'short', year: 'numeric' }, 'UTC');
  return format.formatRange(noon(from), noon(to));
};
export const weekdayName = (local: string): string => formatted(noon(local), { weekday: 'short' }, 'UTC');

const numberFormatter = (options: Intl.NumberFormatOptions): Intl.NumberFormat =>
  cachedFormatter(`number ${language.value} ${JSON.stringify(options)}`, () =>
    Intl.NumberFormat(language.value, options),
  );

export const number = (value: number): string => numberFormatter({}).format(value);
export const percent = (share: number): string =>
  numberFormatter({ style: 'percent', maximumFractionDigits: 0 }).format(share);
/** Lesson hours, `12.50` → `12.5`. */
export const hours = (value: string): string => numberFormatter({ maximumFractionDigits: 2 }).format(Number(value));
/** Formats an amount in minor units of a currency. */
export const money = (minor: number, currency: string): string => {
  const format = numberFormatter({ style: 'currency', currency });
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
};

/** `in 5 minutes`, `tomorrow`, `2 days ago` */
export const fromNow = (when: Instant, now: number): string => {
  const then = new Date(when).getTime();
  const [value, unit] = distanceOf(now, then, orgZone());
  const format = cachedFormatter(
    `relative ${language.value}`,
    () => new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' }),
  );
  // Chinese has a space between a number and a word, which the formatter does not write.
  return format.format(value, unit).replace(/(?<=\d)(?=\p{Script=Han})/u, ' ');
};

/** Compares names as the language sorts them. */
export const collator = (): Intl.Collator =>
  cachedFormatter(`collator ${language.value}`, () => new Intl.Collator(language.value, { numeric: true }));

/** Joins names as the language does: `A, B and C`. */
export const list = (names: readonly string[]): string =>
  cachedFormatter(`list ${language.value}`, () => new Intl.ListFormat(language.value, { type: 'conjunction' })).format(
    names,
  );

/** The name of the organization's zone if the viewer's zone differs; else empty. */
export const zoneNote = (): string => {
  const zone = orgZone();
  if (zone === Intl.DateTimeFormat().resolvedOptions().timeZone) return '';
  return dateFormatter({ timeZoneName: 'long' }, zone)
    .formatToParts(new Date())
    .flatMap(({ type, value }) => (type === 'timeZoneName' ? [value] : []))
    .join('');
};
