import type { Enrolment } from '@teaching/contracts';
import { newId } from '@teaching/kit';

export const newEnrolment = (
  it: Pick<Enrolment, 'clazz_id' | 'student_id' | 'since'> & { status: 'active' | 'waiting' },
): Enrolment => ({ id: newId(), ...it, until: null });
