import type { DecimalRange } from './decimal.rules.ts';
import { localDate, localDayTime, number } from './format.ts';
import { texts } from './language.ts';

/**
 * The rules of form fields in the language of the page. The browser's own messages follow the language of the browser
 * and cover the page, so each rule is shown beside its field instead.
 */

const t = texts({
  required: { en: 'Fill in this field.', zh: '请填写此项。' },
  number: { en: 'Enter a number.', zh: '请填写数字。' },
  whole: { en: 'Enter a whole number.', zh: '请填写整数。' },
  date: { en: 'Enter a date.', zh: '请填写日期。' },
  time: { en: 'Enter a time.', zh: '请填写时间。' },
  other: { en: 'This value is not accepted.', zh: '此内容不符合要求。' },
  numbers: {
    en: (from: string, to: string) => `Enter a number from ${from} to ${to}.`,
    zh: (from: string, to: string) => `请填写 ${from} 至 ${to} 之间的数。`,
  },
  decimals: {
    en: (from: string, to: string, places: number) =>
      `Enter a number from ${from} to ${to}, with up to ${places} decimals.`,
    zh: (from: string, to: string, places: number) => `请填写 ${from} 至 ${to} 之间的数，最多 ${places} 位小数。`,
  },
  dates: {
    en: (from: string, to: string) => `Enter a date from ${from} to ${to}.`,
    zh: (from: string, to: string) => `请填写 ${from} 至 ${to} 之间的日期。`,
  },
  timeUntil: {
    en: (to: string) => `Enter a time until ${to}.`,
    zh: (to: string) => `请填写不晚于 ${to} 的时间。`,
  },
  dateFrom: {
    en: (from: string) => `Enter a date from ${from} on.`,
    zh: (from: string) => `请填写 ${from} 或之后的日期。`,
  },
});

/** The rule of a field for decimals. */
export const decimalRule = ({ min, max, places }: DecimalRange): string => {
  const [from, to] = [number(min), number(max)];
  return places === 0 ? t.numbers(from, to) : t.decimals(from, to, places);
};

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
const isField = (target: EventTarget | null): target is Field =>
  target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;

const inputRule = ({ type, min, max, validity }: HTMLInputElement): string => {
  switch (type) {
    case 'number':
      if (min !== '' && max !== '' && !validity.stepMismatch)
        return t.numbers(number(Number(min)), number(Number(max)));
      return validity.stepMismatch ? t.whole : t.number;
    case 'date':
      if (min === '' || validity.badInput) return t.date;
      return max === '' ? t.dateFrom(localDate(min)) : t.dates(localDate(min), localDate(max));
    case 'datetime-local':
      return max === '' || validity.badInput ? t.time : t.timeUntil(localDayTime(max));
    case 'time':
      return t.time;
    default:
      return t.other;
  }
};

/** The rule that an invalid field breaks. */
const brokenRule = (field: Field): string => {
  const { customError, valueMissing, badInput } = field.validity;
  if (customError) return field.validationMessage;
  if (valueMissing && !badInput) return t.required;
  return field instanceof HTMLInputElement ? inputRule(field) : t.other;
};

/** The rules that are shown, by field. */
const shown = new Map<Field, HTMLElement>();

const hideRule = (field: Field): void => {
  shown.get(field)?.remove();
  shown.delete(field);
  field.removeAttribute('aria-invalid');
};

const showRule = (field: Field): void => {
  const text = brokenRule(field);
  const known = shown.get(field);
  if (known?.isConnected === true && known.textContent === text) return;
  known?.remove();
  const message = document.createElement('small');
  message.className = 'wrong';
  message.setAttribute('role', 'alert');
  message.textContent = text;
  shown.set(field, message);
  field.setAttribute('aria-invalid', 'true');
  (field.closest('.field') ?? field.parentElement)?.append(message);
};

/** Focuses the first field that keeps a form from being sent, and opens the groups that hide it. */
const focusFirst = (field: Field): void => {
  if (field.form?.querySelector('input:invalid, select:invalid, textarea:invalid') !== field) return;
  for (let group = field.closest('details'); group !== null; group = group.parentElement?.closest('details') ?? null)
    group.open = true;
  field.focus();
  shown.get(field)?.scrollIntoView({ block: 'nearest' });
};

/** Updates the shown rules after the page has rendered: a value may also change with another field. */
const updateShown = (): void => {
  requestAnimationFrame(() => {
    for (const field of shown.keys())
      if (!field.isConnected) shown.delete(field);
      else if (field.validity.valid) hideRule(field);
      else showRule(field);
  });
};

/** Shows the rule of a field beside it when the person leaves the field or sends the form. */
export const showFieldRules = (): void => {
  document.addEventListener(
    'invalid',
    (event) => {
      if (!isField(event.target)) return;
      event.preventDefault();
      showRule(event.target);
      focusFirst(event.target);
    },
    true,
  );
  document.addEventListener('change', ({ target }) => {
    if (isField(target) && !target.validity.valid) showRule(target);
    updateShown();
  });
  document.addEventListener('input', updateShown);
};
