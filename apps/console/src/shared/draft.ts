import { useRef, useState } from 'preact/hooks';
import { personValue, storePersonValue } from './person-storage.ts';
import { me, personOf } from './session.ts';

/** The values of a form. */
export interface Draft<T> {
  readonly values: T;
  /** Whether the values were typed earlier, so that the form says so and offers to discard them. */
  readonly isRestored: boolean;
  readonly put: (change: Partial<T> | ((current: T) => Partial<T>)) => void;
  /** Drops the draft and shows the initial values: after a save, a cancel or a discard. */
  readonly clear: () => void;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The values that differ from the initial ones. */
const changesOf = <T extends object>(values: T, initial: T): Partial<T> => {
  const before = new Map(Object.entries(initial));
  const changed = Object.entries(values).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before.get(name)),
  );
  return Object.fromEntries(changed) as Partial<T>; // some of the fields of `values`
};
const isEmpty = (changes: object): boolean => Object.keys(changes).length === 0;

/**
 * Keeps the values of a form that differ from the initial ones, until they are saved or discarded. When the same
 * person opens the form of this name again in this window, also after a new log-in, it shows them again. Values are
 * JSON. Values that were not changed follow the new initial ones.
 */
export const useDraft = <T extends object>(form: string, initial: T): Draft<T> => {
  const person = me.value === undefined ? '' : personOf(me.value);
  const [first] = useState(() => {
    const stored = personValue(person, form);
    const values: T = isObject(stored) ? { ...initial, ...stored } : initial; // a name identifies one type of values
    return { initial, values, isRestored: !isEmpty(changesOf(values, initial)) };
  });
  const [values, setValues] = useState(first.values);
  const [isRestored, setRestored] = useState(first.isRestored);
  const latest = useRef(first.values);
  const show = (next: T): void => {
    const changes = changesOf(next, first.initial);
    latest.current = next;
    setValues(next);
    storePersonValue(person, form, isEmpty(changes) ? undefined : changes);
  };
  return {
    values,
    isRestored,
    put: (change) => show({ ...latest.current, ...(typeof change === 'function' ? change(latest.current) : change) }),
    clear: () => {
      show(first.initial);
      setRestored(false);
    },
  };
};
