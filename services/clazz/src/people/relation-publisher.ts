import { clazzEvents } from '@teaching/contracts';
import { type EventPublisher, type Session, statement } from '@teaching/kit';
import { audit, changesOf } from '../audit/record-audit.ts';
import { inBatches, lastById } from '../audit/event-batches.ts';
import { columnsOf, RELATION, RELATION_KEY } from './people.tables.ts';
import { relationDiff, type RelationRow } from './relation.rules.ts';

const { clazz_id: _given, ...OF_CLAZZ } = { ...RELATION_KEY, ...RELATION };
const ROWS = statement(
  `select ${columnsOf(OF_CLAZZ)} from relation
   where org_id = $1 and clazz_id = $2
     and ($3::text[] is null or student_id = any($3)) and ($4::text[] is null or teacher_id = any($4))`,
  OF_CLAZZ,
);

/** A relation without its key in the view. */
const shown = ({ id: _key, ...row }: RelationRow) => row;

/** Emits the last state of each relation: one event for each class. */
const publishRelationEvents: EventPublisher<RelationRow & { clazz_id: string }> = (session, rows) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(lastById(rows), (row) => row.clazz_id)) {
    for (const part of inBatches(ofClazz.map(({ clazz_id: _same, ...row }) => shown(row)))) {
      session.emit(clazzEvents.relationChanged, clazz_id, { clazz_id, relations: part });
    }
  }
};

/**
 * Teacher–student relations follow from the periods in which people belong to a class. Call before changing the people
 * given, or anybody when none are, and the returned function afterwards: it publishes at commit which relations were opened,
 * closed or undone (`delete`: with their class), and audits them.
 */
export const publishRelationChanges = async (
  session: Session,
  clazz_id: string,
  people: { students?: readonly string[]; teachers?: readonly string[] },
): Promise<(how?: 'update' | 'delete') => Promise<void>> => {
  const { students = null, teachers = null } = people;
  const read = (): Promise<RelationRow[]> => session.query(ROWS, session.org_id, clazz_id, students, teachers);
  const before = await read();
  return async (how = 'update') => {
    const changes = relationDiff(before, await read());
    session.publishOnCommit(
      publishRelationEvents,
      changes.map(({ row }) => ({ ...row, clazz_id })),
    );
    const entries = changes.map(({ row, was }) => ({
      action: was === null ? ('create' as const) : how,
      entity: 'relation' as const,
      entity_id: `${row.teacher_id}/${row.student_id}`,
      changes: changesOf(was && shown(was), how === 'delete' ? null : shown(row)),
    }));
    audit(session, clazz_id, entries);
  };
};
