import type { Role } from '@teaching/contracts';
import { aboutOf } from '../../school/student-notes.ts';
import { people } from '../../school/people.ts';
import type { ChoiceGroup } from './login-page.ts';

const GROUPS: readonly (readonly [Role, string])[] = [
  ['SUPERVISOR', 'Office'],
  ['TEACHER', 'Teachers'],
  ['GUARDIAN', 'Guardians'],
  ['STUDENT', 'Students'],
];

/** The people of the demo school, grouped by role. `today` is a calendar day. */
export const choices = (today: string): ChoiceGroup[] =>
  GROUPS.map(([role, title]) => ({
    id: title.toLowerCase(),
    title,
    choices: people
      .filter((person) => person.role === role)
      .map((person) => ({ id: person.user_id, name: person.display_name, about: aboutOf(person, today) })),
  }));

const byId = new Map(people.map((person) => [person.user_id, person]));
export const knownPerson = (id: string) => byId.get(id);
