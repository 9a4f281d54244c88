import { CLAZZES } from './clazzes.ts';
import { ageOn } from './days.rules.ts';
import { personOf, type SchoolPerson, ties } from './people.ts';

const listed = new Intl.ListFormat('en');
const names = (ids: readonly string[]): string => listed.format(ids.map((id) => personOf(id).display_name));
const clazzNames = (isIn: (clazz: (typeof CLAZZES)[number]) => boolean): string =>
  listed.format(CLAZZES.filter(isIn).map(({ name }) => name));

const ofStudent = ({ user_id, birthday }: SchoolPerson, today: string): string => {
  const clazzes = clazzNames(({ students }) => students.includes(user_id));
  const waiting = clazzNames(({ waiting = [] }) => waiting.includes(user_id));
  const guardians = ties.filter(({ student_id }) => student_id === user_id).map(({ guardian_id }) => guardian_id);
  return [
    ...(birthday !== null && guardians.length > 0
      ? [`${ageOn(today, birthday)} years, child of ${names(guardians)}`]
      : []),
    clazzes,
    ...(waiting === '' ? [] : [`waits for ${waiting}`]),
  ].join(' · ');
};

/** A short description of a person's role at the school. `today` is a calendar day. */
export const aboutOf = (person: SchoolPerson, today: string): string => {
  switch (person.role) {
    case 'SUPERVISOR':
      return person.job;
    case 'TEACHER':
      return `teaches ${clazzNames(({ teacher }) => teacher === person.user_id)}`;
    case 'GUARDIAN': {
      const own = ties.filter(({ guardian_id }) => guardian_id === person.user_id);
      return `${own[0]?.relation ?? 'guardian'} of ${names(own.map(({ student_id }) => student_id))}`;
    }
    case 'STUDENT':
      return ofStudent(person, today);
  }
};
