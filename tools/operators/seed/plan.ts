import { createHash } from 'node:crypto';

/** The wanted size. */
export interface Wanted {
  /** The same name gives the same organizations and people in every run. */
  name: string;
  orgs: number;
  /** In each organization. */
  students: number;
  /** Past weeks of lessons. */
  weeks: number;
}

export interface PlannedPerson {
  user_id: string;
  role: 'SUPERVISOR' | 'TEACHER' | 'STUDENT';
  display_name: string;
}
export interface PlannedClazz {
  name: string;
  teacher_id: string;
  student_ids: readonly string[];
  /** Days after a Monday. */
  weekday: number;
  start_time: string;
}
export interface PlannedOrg {
  org_id: string;
  people: readonly PlannedPerson[];
  clazzes: readonly PlannedClazz[];
}

const IN_CLASS = 12;
/** The days of a teacher's classes, each at one hour. */
const DAYS = 5;
const FIRST_HOUR = 9;
const HOURS = 10;
export const PRINCIPAL = 'principal';

const GIVEN = [
  'Amina',
  'Ben',
  'Chloé',
  'Dmitri',
  'Elif',
  'Fatou',
  '小明',
  'Inés',
  'Jonas',
  'Kemal',
  'Linh',
  '美玲',
  'Noor',
  'Olga',
];
const FAMILY = [
  'Abbas',
  'Brown',
  'Chen',
  'Díaz',
  'Eze',
  'Fischer',
  'García',
  'Haddad',
  'Ito',
  'Kim',
  'Levi',
  'Martin',
  'Nowak',
];
const SUBJECTS = [
  'Chinese for beginners',
  'Español',
  'English conversation',
  'العربية',
  'Mathematics',
  'Piano',
  'Robotics',
];

const at = (list: readonly string[], n: number): string => list[n % list.length] ?? '';
const nameOf = (n: number): string => `${at(GIVEN, n)} ${at(FAMILY, 3 * n + Math.floor(n / GIVEN.length))}`;

/** Derives an id from words, in the form of RFC 9562, version 8. */
const idOf = (...words: readonly (string | number)[]): string => {
  const hex = createHash('sha256').update(words.join('/')).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

const studentIds = (count: number): string[] => Array.from({ length: count }, (_, n) => `student-${n + 1}`);
const chunks = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));

const teacherOf = (clazz: number): string => `teacher-${Math.floor(clazz / DAYS) + 1}`;

const plannedClazz = (student_ids: readonly string[], n: number): PlannedClazz => ({
  name: `${at(SUBJECTS, n)} ${n + 1}`,
  teacher_id: teacherOf(n),
  student_ids,
  weekday: n % DAYS,
  start_time: `${String(FIRST_HOUR + (Math.floor(n / DAYS) % HOURS)).padStart(2, '0')}:00`,
});

/** Everything that one run creates. No person has two lessons at once. */
export const planOrgs = ({ name, orgs, students }: Wanted): PlannedOrg[] =>
  Array.from({ length: orgs }, (_, org) => {
    const ids = studentIds(students);
    const clazzes = chunks(ids, IN_CLASS).map(plannedClazz);
    const teachers = [...new Set(clazzes.map(({ teacher_id }) => teacher_id))];
    const person =
      (role: PlannedPerson['role'], shift: number) =>
      (user_id: string, n: number): PlannedPerson => ({
        user_id,
        role,
        display_name: nameOf(n + shift + 17 * org),
      });
    return {
      org_id: idOf(name, org),
      people: [
        ...[PRINCIPAL].map(person('SUPERVISOR', 5)),
        ...teachers.map(person('TEACHER', 31)),
        ...ids.map(person('STUDENT', 0)),
      ],
      clazzes,
    };
  });

const MARKS = ['present', 'late', 'absent', 'leave'] as const;
/** Of a hundred marks: late, absent, leave. */
const [LATE, ABSENT, LEAVE] = [6, 6, 3];

/** Mostly present. The same person and lesson have the same mark in every run. */
export const markOf = (student_id: string, lesson: string): (typeof MARKS)[number] => {
  const drawn = createHash('sha256').update(`${student_id}/${lesson}`).digest().readUInt32BE() % 100;
  if (drawn < LATE) return 'late';
  if (drawn < LATE + ABSENT) return 'absent';
  return drawn < LATE + ABSENT + LEAVE ? 'leave' : 'present';
};
