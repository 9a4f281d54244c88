import { packageCalls } from '@teaching/contracts';
import { PERSON, type ReadyRequests, type Scene } from './scene.ts';

/** A package of lee with an item. */
const draft = async ({ boss, our }: Scene): Promise<string> => {
  const body = { title: 'P', teacher_id: PERSON.TEACHER, total_hours: '10' };
  const { id } = await boss.ok(packageCalls.createPackage, { body });
  const items = [{ course_id: our.course, title: 'I', hours: 1 }];
  await boss.ok(packageCalls.syncPackageItems, { body: { package_id: id, items } });
  return id;
};
const onDraft: ReadyRequests = async (scene) => ({ path: { id: await draft(scene) } });

export const packageRequests: Readonly<Record<string, ReadyRequests>> = {
  'package.package.update': onDraft,
  'package.package.remove': onDraft,
  'package.package.publish': onDraft,
  'package.package.unpublish': async (scene) => {
    const id = await draft(scene);
    await scene.boss.ok(packageCalls.publishPackage, { path: { id } });
    return { path: { id } };
  },
  'package.item.sync': async (scene) => {
    const items = [{ course_id: scene.our.course, title: 'J', hours: 2 }];
    return { body: { package_id: await draft(scene), items } };
  },
};
