import { useAccount } from '../shared/hours/hours.state.ts';
import { useOpenState } from '../shared/open-state.ts';
import { Dialog } from '../shared/parts/dialog.tsx';
import { Segments } from '../shared/parts/segments.tsx';
import { StudentHours } from './student-hours.tsx';
import { StudentLeave } from './student-leave.tsx';
import { t } from './today-texts.ts';

type Part = 'hours' | 'leave';

/** Hours and leave of one student, with forms to grant hours and to enter leave. */
export const StudentDialog = ({ student_id, onClose }: { student_id: string; onClose: () => void }) => {
  const [part, setPart] = useOpenState<Part>('part of the student', 'hours');
  const name = useAccount(student_id).data.value?.student_name ?? student_id;
  return (
    <Dialog title={name} onClose={onClose}>
      <div class="student-parts">
        <Segments
          label={t.studentParts}
          value={part}
          options={[
            ['hours', t.hoursPart],
            ['leave', t.leavePart],
          ]}
          onChange={setPart}
        />
      </div>
      {part === 'hours' ? (
        <StudentHours student_id={student_id} name={name} onDone={onClose} />
      ) : (
        <StudentLeave student_id={student_id} onEntered={onClose} />
      )}
    </Dialog>
  );
};
