import { GEN } from './sql.ts';

/** The name of somebody who was erased: a name that is told late does not come back. */
export const ERASED = '';

/** SQL of whose records they are: of the request, or of a row. */
interface Of {
  org_id: string;
  gen: string;
}
const OF_REQUEST: Of = { org_id: '$1', gen: GEN };

/** SQL of the name of a class by its id, once it is known; read with the rows that name it, as all of an answer is. */
export const nameOfClazz = (id: string, { org_id, gen }: Of = OF_REQUEST): string =>
  `(select n.name from clazz as n where n.org_id = ${org_id} and n.gen = ${gen} and n.id = ${id})`;

/** The same of when a lesson starts or ends. */
export const timeOfLesson = (which: 'starts_at' | 'ends_at', id: string, { org_id, gen }: Of = OF_REQUEST): string =>
  `(select n.${which} from lesson as n where n.org_id = ${org_id} and n.gen = ${gen} and n.id = ${id})`;

/** The same of what the directory calls somebody. */
export const nameOfPerson = (id: string, { org_id, gen }: Of = OF_REQUEST): string =>
  `(select n.display_name from member as n
    where n.org_id = ${org_id} and n.gen = ${gen} and n.user_id = ${id} and n.display_name <> '${ERASED}')`;
