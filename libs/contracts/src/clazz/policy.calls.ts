import { z } from 'zod';
import { call } from '../call.ts';
import { STAFF } from '../scalars.ts';
import { Policy, PolicySettings } from './policy.schema.ts';

export const policyCalls = {
  getPolicy: call({
    id: 'clazz.policy.get',
    http: 'GET /api/v1/clazz/policy',
    summary: 'Read the policy in force',
    who: STAFF,
    whose: 'all',
    writes: false,
    output: Policy,
  }),
  putPolicy: call({
    id: 'clazz.policy.put',
    http: 'PUT /api/v1/clazz/policy',
    summary: 'Replace the policy. Omitted settings get their defaults. It applies to changes from now on',
    who: ['SUPERVISOR'],
    writes: true,
    body: PolicySettings,
    output: Policy,
    errors: ['version_mismatch'],
  }),
  /** For services that store prices without a currency in the request. */
  currency: call({
    id: 'clazz.policy.currency',
    summary: 'Read the currency of the policy',
    who: 'service',
    asked_by: ['package'],
    writes: false,
    output: z.object({ currency: z.string().nullable() }),
  }),
};
