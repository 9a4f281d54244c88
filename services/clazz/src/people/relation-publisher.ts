import { clazzEvents } from '@teaching/contracts';
import { type EventPublisher, type Session, statement } from '@teaching/kit';
import { audit, changesOf } from '../audit/record-audit.ts';
import { toBatches, lastById } from '../audit/event-batches.ts';
import { columnList, RELATION, RELATION_KEY } from './people.tables.ts';
import { relationDiff, type RelationRow } from './relation.rules.ts';

const { clazz_id: _given, ...OF_CLAZZ } = { ...RELATION_KEY, ...RELATION };
const ROWS = statement(
  `select ${columnList(OF_CLAZZ)} from relation
   where org_id = $1 and clazz_id = $2
     and ($3::text[] is null or student_id = any($3)) and ($4::text[] is null or teacher_id = any($4))`,
  OF_CLAZZ,
);

/** A relation without the key of the view. */
const shown = ({ id: _key, ...row }: RelationRow) => row;

/** Publishes the last state of each relation: one event for each class. */
const publishRelationEvents: EventPublisher<RelationRow & { clazz_id: string }> = (session, rows) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(lastById(rows), (row) => row.clazz_id)) {
    for (const part of toBatches(ofClazz.map(({ clazz_id: _same, ...row }) => shown(row)))) {
      session.emit(clazzEvents.relationChanged, clazz_id, { clazz_id, relations: part });
    }
  }
};

/**
 * Records the changes of teacher–student relations, which follow from the periods of a class.
 * Call it before the periods of these people change (of all people if none are given), and the returned function
 * afterwards. That function audits opened, closed and removed relations and publishes them at commit. With `delete`
 * they are removed with their class.
 */
export const trackRelationChanges = async (
  session: Session,
  clazz_id: string,
  people: { students?: readonly string[]; teachers?: readonly string[] },
): Promise<(action?: 'update' | 'delete') => Promise<void>> => {
  const { students = null, teachers = null } = people;
  const read = (): Promise<RelationRow[]> => session.query(ROWS, session.org_id, clazz_id, students, teachers);
  const before = await read();
  return async (action = 'update') => {
    const changes = relationDiff(before, await read());
    session.publishOnCommit(
      publishRelationEvents,
      changes.map(({ after }) => ({ ...after, clazz_id })),
    );
    const entries = changes.map(({ before: was, after: row }) => ({
      action: was === null ? ('create' as const) : action,
      entity: 'relation' as const,
      entity_id: `${row.teacher_id}/${row.student_id}`,
      changes: changesOf(was && shown(was), action === 'delete' ? null : shown(row)),
    }));
    audit(session, clazz_id, entries);
  };
};
