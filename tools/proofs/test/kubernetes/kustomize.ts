import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';

const Step = z.strictObject({
  op: z.enum(['add', 'replace']),
  path: z.string().startsWith('/'),
  value: z.unknown(),
});
/** The features of kustomize that deploy/kubernetes uses. Any other field is refused. */
const Kustomization = z.strictObject({
  apiVersion: z.string(),
  kind: z.enum(['Kustomization', 'Component']),
  namespace: z.string().optional(),
  resources: z.array(z.string()).default([]),
  components: z.array(z.string()).default([]),
  images: z.array(z.strictObject({ name: z.string(), newName: z.string(), newTag: z.string() })).default([]),
  configMapGenerator: z
    .array(
      z.strictObject({
        name: z.string(),
        behavior: z.literal('merge').optional(),
        envs: z.array(z.string()).default([]),
        literals: z.array(z.string()).default([]),
        files: z.array(z.string()).default([]),
        options: z
          .strictObject({ labels: z.record(z.string(), z.string()), disableNameSuffixHash: z.literal(true).optional() })
          .optional(),
      }),
    )
    .default([]),
  patches: z
    .array(
      z.strictObject({
        target: z.strictObject({ kind: z.string(), name: z.string().optional() }),
        patch: z.string(),
      }),
    )
    .default([]),
});
type Kustomization = z.output<typeof Kustomization>;

const Known = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
type Known = z.output<typeof Known>;
const ConfigMap = z.looseObject({ data: z.record(z.string(), z.string()) });

const pairOf = (line: string): [string, string] => {
  const at = line.indexOf('=');
  return [line.slice(0, at), line.slice(at + 1)];
};
const linesOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

const generate = (objects: Known[], folder: string, from: Kustomization['configMapGenerator'][number]): Known[] => {
  const data = Object.fromEntries([
    ...from.envs.flatMap((file) => linesOf(join(folder, file)).map(pairOf)),
    ...from.literals.map(pairOf),
    ...from.files.map((file) => [basename(file), readFileSync(join(folder, file), 'utf8')]),
  ]);
  if (from.behavior === undefined) {
    const labels = from.options === undefined ? {} : { labels: from.options.labels };
    return [...objects, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: from.name, ...labels }, data }];
  }
  const target = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === from.name);
  if (target === undefined) throw new Error(`${folder}: there is no ConfigMap ${from.name}`);
  return objects.map((one) => (one === target ? { ...one, data: { ...ConfigMap.parse(one).data, ...data } } : one));
};

const Container = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]);
/** Applies one step of a JSON Patch (RFC 6902) in place. */
const applyStep = (object: Known, { op, path, value }: z.output<typeof Step>): void => {
  const keys = path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop() ?? '';
  // Walks the original objects, because changes to a copy would be lost.
  let at: unknown = object;
  for (const key of keys) {
    Container.parse(at);
    at = Reflect.get(Object(at), key);
  }
  if (typeof at !== 'object' || at === null) throw new Error(`${object.metadata.name}: nothing at ${path}`);
  if (op === 'replace' && !(last in at)) throw new Error(`${object.metadata.name}: nothing to replace at ${path}`);
  if (Array.isArray(at))
    at.splice(last === '-' ? at.length : Number(last), op === 'replace' ? 1 : 0, structuredClone(value));
  else Reflect.set(at, last, structuredClone(value));
};

/** Renames an image wherever an object has containers. */
const renameImage = (at: unknown, name: string, image: string): void => {
  if (typeof at !== 'object' || at === null) return;
  if (Reflect.get(at, 'image') === name) Reflect.set(at, 'image', image);
  for (const one of Object.values(at)) renameImage(one, name, image);
};

const change = (objects: Known[], { namespace, patches, images }: Kustomization): void => {
  for (const { target, patch } of patches) {
    const steps = z.array(Step).parse(parse(patch));
    const matches = (pattern: string | undefined, value: string): boolean =>
      RegExp(`^(?:${pattern ?? '.*'})$`).test(value);
    const targets = objects.filter(
      ({ kind, metadata }) => matches(target.kind, kind) && matches(target.name, metadata.name),
    );
    if (targets.length === 0) throw new Error(`no object matches the patch target ${target.kind} ${target.name ?? ''}`);
    for (const object of targets) for (const each of steps) applyStep(object, each);
  }
  for (const one of objects) {
    if (namespace !== undefined && one.kind !== 'Namespace') one.metadata.namespace = namespace;
    for (const { name, newName, newTag } of images) renameImage(one, name, `${newName}:${newTag}`);
  }
};

const read = (path: string): Known[] =>
  parseAllDocuments(readFileSync(path, 'utf8')).map((document) => Known.parse(document.toJS()));

/** Builds in the order of kustomize: resources, components, generated ConfigMaps, patches. */
const build = (folder: string, given: Known[]): Known[] => {
  const kustomization = Kustomization.parse(parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')));
  let objects = given;
  for (const name of kustomization.resources) {
    const path = join(folder, name);
    objects = [...objects, ...(name.endsWith('.yaml') ? read(path) : build(path, []))];
  }
  for (const name of kustomization.components) objects = build(join(folder, name), objects);
  for (const one of kustomization.configMapGenerator) objects = generate(objects, folder, one);
  change(objects, kustomization);
  return objects;
};

/**
 * Builds the objects of a folder like `kubectl kustomize`, without the hash suffixes of generated ConfigMaps. It
 * implements only the features in use; `kustomize.long.test.ts` compares it with kubectl.
 */
export const kustomize = (folder: string): Known[] => build(folder, []);
