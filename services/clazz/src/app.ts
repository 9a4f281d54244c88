import type { App } from '@teaching/kit';
import { attendanceModule } from './attendance/attendance.module.ts';
import { auditModule } from './audit/audit.module.ts';
import { AUDIT_FOLLOWER } from './audit/audit-follower.ts';
import { clazzModule } from './clazz/clazz.module.ts';
import { closureModule } from './closure/closure.module.ts';
import { migrations } from './db/migrations.ts';
import { directoryModule } from './directory/directory.module.ts';
import { CHILDREN } from './directory/guardians.ts';
import { hoursModule } from './hours/hours.module.ts';
import { peopleModule } from './people/people.module.ts';
import { promoteAfter } from './people/promote-waiting.ts';
import { policyModule } from './policy/policy.module.ts';
import { refusalModule } from './refusal/refusal.module.ts';
import { roomModule } from './room/room.module.ts';
import { scheduleModule } from './schedule/schedule.module.ts';

/** The class service: classes, people, schedule, attendance, hours and their audit log. */
export const app: App = {
  name: 'clazz',
  modules: [
    refusalModule,
    ...[
      clazzModule,
      peopleModule,
      scheduleModule,
      closureModule,
      attendanceModule,
      hoursModule,
      directoryModule,
      roomModule,
      policyModule,
      auditModule,
    ].map(promoteAfter),
  ],
  follower: AUDIT_FOLLOWER,
  children: CHILDREN,
  migrations,
};
