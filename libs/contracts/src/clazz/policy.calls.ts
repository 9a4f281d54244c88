import { z } from 'zod';
import { call } from '../call.ts';
import { STAFF } from '../scalars.ts';
import { Policy, PolicySettings } from './policy.schema.ts';

export const policyCalls = {
  getPolicy: call({
    id: 'clazz.policy.get',
    http: 'GET /api/v1/clazz/policy',
    summary: "The org's policy in force",
    who: STAFF,
    whose: 'all',
    writes: false,
    output: Policy,
  }),
  putPolicy: call({
    id: 'clazz.policy.put',
    http: 'PUT /api/v1/clazz/policy',
    summary: 'Set the whole policy; it applies to what happens from now on',
    who: ['SUPERVISOR'],
    writes: true,
    body: PolicySettings,
    output: Policy,
    errors: ['version_mismatch'],
  }),
  /** Asked by services that store money of which nobody said the currency. */
  currency: call({
    id: 'clazz.policy.currency',
    summary: "The currency of the org's policy",
    who: 'service',
    asked_by: ['package'],
    writes: false,
    output: z.object({ currency: z.string().nullable() }),
  }),
};
