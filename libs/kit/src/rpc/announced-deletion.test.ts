import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { StatementRunner } from '../db/connection.ts';
import { OutcomeUnknown } from '../db/database-fault.ts';
import { AnnouncedDeletion } from './announced-deletion.ts';

it('answers `unavailable`, not `outcome_unknown`, when it is unknown whether the deletion mark was stored', async () => {
  const deletion = new AnnouncedDeletion({
    org_id: () => randomUUID(),
    connection: {} as StatementRunner,
    runSeparately: () => Promise.reject(new OutcomeUnknown(new Error('the connection was cut off'))),
    releaseDuring: (work) => work(),
  });
  const announced = deletion.announce(randomUUID(), { check: async () => ({}), countReferences: async () => [] });
  await expect(announced).rejects.toMatchObject({ code: 'unavailable', status: 503 });
});
