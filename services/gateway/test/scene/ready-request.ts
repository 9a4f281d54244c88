import type { AnyCall, Role } from '@teaching/contracts';
import { requestAboutChild, type PreparedRequest, requestTo } from '../contract-requests.ts';
import { classRequests } from './class-requests.ts';
import { courseRequests } from './course-requests.ts';
import { packageRequests } from './package-requests.ts';
import { PERSON, type ReadyRequests, type Scene } from './scene.ts';

const READY: Readonly<Record<string, ReadyRequests>> = { ...packageRequests, ...courseRequests, ...classRequests };

/**
 * A request that must succeed when the person of this role in the scene sends it. The records that it names exist in
 * the required state. Each request gets another record when the call works only once.
 */
export const readyRequest = async (scene: Scene, call: AnyCall, role: Role): Promise<PreparedRequest> => {
  const request = { ...requestTo(call, scene.our), ...(await READY[call.id]?.(scene, scene.as(role))) };
  return role === 'GUARDIAN' && call.child === 'named' ? requestAboutChild(call, request, PERSON.STUDENT) : request;
};
