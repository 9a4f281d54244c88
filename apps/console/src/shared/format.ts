import { language } from './language.ts';
import { me } from './session.ts';
import { distanceOf } from './zone.rules.ts';

/** How things are said in the language that is chosen, and in the zone of the organization. */

const made = new Map<string, unknown>();
const once = <T>(key: string, make: () => T): T => {
  if (!made.has(key)) made.set(key, make());
  return made.get(key) as T; // each key has one kind of value: it names the kind
};

/** The organization's zone; before it is known, the viewer's own. */
export const orgZone = (): string => me.value?.policy.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

const dates = (options: Intl.DateTimeFormatOptions, zone: string): Intl.DateTimeFormat =>
  once(`date ${language.value} ${zone} ${JSON.stringify(options)}`, () =>
    Intl.DateTimeFormat(language.value === 'en' ? 'en-GB' : language.value, { timeZone: zone, ...options }),
  );

type When = string | number | Date;
const say = (when: When, options: Intl.DateTimeFormatOptions, zone = orgZone()): string =>
  dates(options, zone).format(new Date(when));

/** `09:30` */
export const time = (when: When): string => say(when, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
/** `09:30–10:30` */
export const times = (from: When, to: When): string => `${time(from)}–${time(to)}`;
/** `Mon` */
export const weekday = (when: When): string => say(when, { weekday: 'short' });
/** `Mon 23 Nov` */
export const day = (when: When): string => say(when, { weekday: 'short', day: 'numeric', month: 'short' });
/** `Monday 23 November` */
export const longDay = (when: When): string => say(when, { weekday: 'long', day: 'numeric', month: 'long' });
/** `23 Nov 2026` */
export const date = (when: When): string => say(when, { day: 'numeric', month: 'short', year: 'numeric' });
/** The last moment that something is good which ends then: what ends at midnight is good until the day before. */
export const lastOf = (expires_at: string): Date => new Date(Date.parse(expires_at) - 1);
/** `Mon 23 Nov, 09:30` */
export const dayTime = (when: When): string =>
  say(when, { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

const noon = (local: string): Date => new Date(`${local}T12:00:00Z`);
/** Local dates have no zone. */
export const localDay = (local: string): string =>
  say(noon(local), { weekday: 'short', day: 'numeric', month: 'short' }, 'UTC');
export const localLongDay = (local: string): string =>
  say(noon(local), { weekday: 'long', day: 'numeric', month: 'long' }, 'UTC');
export const localDate = (local: string): string =>
  say(noon(local), { day: 'numeric', month: 'short', year: 'numeric' }, 'UTC');
export const weekdayName = (local: string): string => say(noon(local), { weekday: 'short' }, 'UTC');

const numbers = (options: Intl.NumberFormatOptions): Intl.NumberFormat =>
  once(`number ${language.value} ${JSON.stringify(options)}`, () => Intl.NumberFormat(language.value, options));

export const number = (value: number): string => numbers({}).format(value);
export const percent = (share: number): string => numbers({ style: 'percent', maximumFractionDigits: 0 }).format(share);
/** Lesson hours, `12.50` → `12.5`. */
export const hours = (value: string): string => numbers({ maximumFractionDigits: 2 }).format(Number(value));
/** Minor units of a currency. */
export const money = (minor: number, currency: string): string => {
  const format = numbers({ style: 'currency', currency });
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
};

/** `in 5 minutes`, `tomorrow`, `2 days ago` */
export const fromNow = (when: When, now: number): string => {
  const then = new Date(when).getTime();
  const [value, unit] = distanceOf(now, then, orgZone());
  const format = once(
    `relative ${language.value}`,
    () => new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' }),
  );
  return format.format(value, unit);
};

/** Names beside each other, as the language joins them. */
export const list = (names: readonly string[]): string =>
  once(`list ${language.value}`, () => new Intl.ListFormat(language.value, { type: 'conjunction' })).format(names);

/** What the organization's zone is called, where the viewer lives in another; else empty. */
export const zoneNote = (): string => {
  const zone = orgZone();
  if (zone === Intl.DateTimeFormat().resolvedOptions().timeZone) return '';
  return dates({ timeZoneName: 'long' }, zone)
    .formatToParts(new Date())
    .flatMap(({ type, value }) => (type === 'timeZoneName' ? [value] : []))
    .join('');
};
