/** Figures by subject and name: `student s1 present` → `3`. Hours have two decimals. */
export type Figures = Map<string, string>;

const HOURS = new Set(['hours_taught', 'hours_consumed', 'granted', 'consumed', 'remaining', 'expiring_30d']);

const isZero = (value: unknown): boolean => value === undefined || value === null || Number(value) === 0;

/** Adds the named numbers of a row. Zero and null are left out, because an answer may omit them. */
export const note = (figures: Figures, of: string, row: unknown, names: readonly string[]): void => {
  if (typeof row !== 'object' || row === null) return;
  for (const [name, value] of Object.entries(row)) {
    if (!names.includes(name) || isZero(value)) continue;
    figures.set(`${of} ${name}`, HOURS.has(name) ? Number(value).toFixed(2) : String(value));
  }
};

const MARKS = ['present', 'late', 'absent', 'leave', 'makeup', 'trial'];
export const ACCOUNT = ['granted', 'consumed', 'remaining', 'expiring_30d'];
export const OF_STUDENT = ['scheduled', 'held', ...MARKS, 'hours_consumed', ...ACCOUNT];
export const OF_CLAZZ = ['scheduled', 'held', ...MARKS, 'hours_taught', 'hours_consumed', 'roll_calls_in_time'];
export const OF_TEACHER = [
  'scheduled',
  'lessons_taught',
  'hours_taught',
  'students',
  'roll_calls',
  'roll_calls_in_time',
].concat(['markings', 'leave_handled']);
export const OF_ORG = [...OF_CLAZZ, 'markings', 'leave_handled', 'clazzes_active', 'students_active', ...ACCOUNT];

/** The differences between two sets of figures, one sentence each. */
export const differences = (answered: Figures, source: Figures): string[] =>
  [...new Set([...answered.keys(), ...source.keys()])]
    .filter((key) => answered.get(key) !== source.get(key))
    .map((key) => `${key}: answered ${answered.get(key) ?? 'nothing'}, by the source ${source.get(key) ?? 'nothing'}`);
