/** Figures by subject and name: `student s1 present` → `3`. Hours have two decimals. */
export type Figures = Map<string, string>;

const HOURS = new Set(['hours_taught', 'hours_consumed', 'granted', 'consumed', 'remaining', 'expiring_30d']);

const isZero = (value: unknown): boolean => value === undefined || value === null || Number(value) === 0;

/** Adds the named numbers of a row. Zero and null are left out, because an answer may omit them. */
export const addFigures = (figures: Figures, of: string, row: unknown, names: readonly string[]): void => {
  if (typeof row !== 'object' || row === null) return;
  for (const [name, value] of Object.entries(row)) {
    if (!names.includes(name) || isZero(value)) continue;
    figures.set(`${of} ${name}`, HOURS.has(name) ? Number(value).toFixed(2) : String(value));
  }
};

const MARKS = ['present', 'late', 'absent', 'leave', 'makeup', 'trial'];
export const ACCOUNT_FIGURES = ['granted', 'consumed', 'remaining', 'expiring_30d'];
export const STUDENT_FIGURES = ['scheduled', 'held', ...MARKS, 'hours_consumed', ...ACCOUNT_FIGURES];
export const CLAZZ_FIGURES = ['scheduled', 'held', ...MARKS, 'hours_taught', 'hours_consumed', 'roll_calls_in_time'];
export const TEACHER_FIGURES = [
  'scheduled',
  'lessons_taught',
  'hours_taught',
  'students',
  'roll_calls',
  'roll_calls_in_time',
].concat(['markings', 'leave_handled']);
export const ORG_FIGURES = [
  ...CLAZZ_FIGURES,
  'markings',
  'leave_handled',
  'clazzes_active',
  'students_active',
  ...ACCOUNT_FIGURES,
];

/** The differences between two sets of figures, one sentence each. */
export const differences = (answered: Figures, source: Figures): string[] =>
  [...new Set([...answered.keys(), ...source.keys()])]
    .filter((key) => answered.get(key) !== source.get(key))
    .map((key) => `${key}: answered ${answered.get(key) ?? 'nothing'}, by the source ${source.get(key) ?? 'nothing'}`);
