import * as contracts from '@teaching/contracts';
import { type AnyCall, type EventDef, isObject, partsOf } from '@teaching/contracts';
import { z } from 'zod';
import { pascal } from './json-schema.ts';

type Io = 'input' | 'output';
const SIDES = ['output', 'input'] as const;

/** The singular of a name: the schema of one item of `lots` is named `Lot`. */
const singular = (name: string): string =>
  name === 'series'
    ? name
    : name
        .replace(/zes$/, 'z')
        .replace(/ies$/, 'y')
        .replace(/(?<![su])s$/, '');

/** The schema without its optional, nullable and array wrappers. */
const unwrapped = (schema: z.ZodType, io: Io): z.ZodType => {
  const [inner] = partsOf(schema, io);
  return inner === undefined || isObject(schema) || schema instanceof z.ZodUnion || schema instanceof z.ZodRecord
    ? schema
    : unwrapped(inner, io);
};

const isList = (schema: z.ZodType, io: Io): boolean =>
  schema instanceof z.ZodArray || (!isObject(schema) && partsOf(schema, io).some((part) => isList(part, io)));

/** Prefixes in the contracts of records with names beside their ids. */
const WITH_NAMES = /^(Shown|Named|Listed)(?=[A-Z])/;

const isPage = (schema: z.ZodObject): boolean => Object.keys(schema.shape).join() === 'items,next_cursor';
const OPERATION_IDS = new Map(Object.entries(contracts.operations).map(([id, call]) => [call, id]));
/** `createPackage` → `CreatePackage`. Calls between services have names from their ids. */
const callName = (call: AnyCall): string => pascal(OPERATION_IDS.get(call) ?? call.id);

/**
 * The component names of schemas. A schema that the contracts export has its exported name. The body of a call is named
 * after the call. An inner object is named after its owner and its member.
 */
export class Names {
  readonly #names = new Map<z.ZodType, string>();
  readonly #taken = new Set<string>();
  readonly #answered = new Set<z.ZodType>();
  readonly #sent = new Set<z.ZodType>();

  constructor(calls: readonly AnyCall[], events: readonly EventDef[] = []) {
    const exported = Object.entries<unknown>(contracts).flatMap(([name, value]): [string, z.ZodType][] =>
      value instanceof z.ZodObject || value instanceof z.ZodEnum ? [[name, value]] : [],
    );
    // Responses have records with names, events have records without. Each document uses the plain name for its own
    // form.
    if (events.length === 0) {
      for (const [name, schema] of exported)
        if (WITH_NAMES.test(name)) this.#give(schema, name.replace(WITH_NAMES, ''));
    }
    for (const [name, schema] of exported) this.#give(schema, this.#taken.has(name) ? `Plain${name}` : name);
    for (const { type, data } of events) this.#nameAnswer(unwrapped(data, 'output'), pascal(type));
    for (const io of SIDES) {
      for (const call of calls) {
        const name = callName(call);
        if (io === 'output') this.#nameAnswer(unwrapped(call.output, io), name);
        else this.#walk(call.body, `${name}Request`, io);
      }
    }
  }

  /** The component name of a schema in requests or responses; `undefined` if it is inlined. */
  of(schema: z.ZodType, io: Io): string | undefined {
    const name = this.#names.get(schema);
    const isShared = io === 'input' && this.#answered.has(schema) && isObject(schema);
    return name !== undefined && isShared ? `${name}Input` : name;
  }

  #give(schema: z.ZodType, wanted: string): void {
    if (this.#names.has(schema)) return;
    let name = wanted;
    for (let n = 2; this.#taken.has(name); n += 1) name = `${wanted}${n}`;
    this.#names.set(schema, name);
    this.#taken.add(name);
  }

  #nameAnswer(schema: z.ZodType, name: string): void {
    if (isObject(schema) && isPage(schema)) {
      const row = unwrapped(schema.shape['items'] as z.ZodType, 'output');
      this.#walk(row, `${name}Row`, 'output');
      const of = this.#names.get(row);
      this.#names.set(schema, of === undefined ? `${name}Page` : `${of}Page`);
    }
    this.#walk(schema, `${name}Answer`, 'output');
  }

  #walk(schema: z.ZodType, owner: string, io: Io): void {
    const seen = io === 'output' ? this.#answered : this.#sent;
    if (seen.has(schema)) return;
    seen.add(schema);
    if (isObject(schema)) {
      this.#give(schema, owner);
      this.#members(schema, io);
    } else {
      // Each recursive schema is free JSON.
      if (schema instanceof z.ZodLazy) this.#names.set(schema, 'JsonValue');
      for (const part of partsOf(schema, io)) this.#walk(part, owner, io);
    }
  }

  #members(schema: z.ZodObject, io: Io): void {
    const name = this.#names.get(schema) ?? '';
    for (const [key, value] of Object.entries<z.ZodType>(schema.shape))
      this.#walk(value, `${name}${pascal(isList(value, io) ? singular(key) : key)}`, io);
  }
}
