/** metadata.managedFields: who owns which fields, and since when. */
import { equal } from '../api/merge.ts';
import { isObject, type JsonObject, type JsonValue, type KubeObject } from '../api/object.ts';
import { UndecodableFields } from './element.ts';
import { decodeFields, encodeFields, type FieldSet, union } from './field-set.ts';
import { compareText, goJson, plainText } from './go-text.ts';

export type Operation = 'Apply' | 'Update';

export interface Manager {
  name: string;
  operation: Operation;
  /** The version that the fields' names belong to. */
  apiVersion: string;
  subresource: string;
  time: string | undefined;
  fields: FieldSet;
}

/** By identity. */
export type Managers = ReadonlyMap<string, Manager>;

/** Who a manager is: an applier is one in all versions. Times are never part of it. */
export const identityOf = ({ name, operation, apiVersion, subresource }: Omit<Manager, 'time' | 'fields'>): string =>
  `{${[
    ...(name ? [`"manager":${goJson(name)}`] : []),
    `"operation":"${operation}"`,
    ...(operation === 'Update' ? [`"apiVersion":${goJson(apiVersion)}`] : []),
    ...(subresource ? [`"subresource":${goJson(subresource)}`] : []),
  ].join(',')}}`;

export class UndecodableEntries extends Error {
  override readonly name = 'UndecodableEntries';
}

const secondsOf = (time: string | undefined): number =>
  time === undefined ? 0 : Math.floor(Date.parse(time) / 1000) || 0;

/** RFC 3339 in seconds and UTC. */
const timeOf = (time: unknown): string | undefined => {
  if (time === undefined || time === null) return undefined;
  if (typeof time !== 'string' || Number.isNaN(Date.parse(time))) throw new UndecodableEntries('invalid time');
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(time) ? time : `${new Date(time).toISOString().slice(0, 19)}Z`;
};

const textIn = (entry: JsonObject, field: string): string => {
  const value = entry[field] ?? '';
  if (typeof value !== 'string') throw new UndecodableEntries(`invalid ${field}`);
  return value;
};

const managerOf = (entry: JsonObject, i: number): Manager => {
  const operation = textIn(entry, 'operation');
  if (operation !== 'Apply' && operation !== 'Update')
    throw new UndecodableEntries('operation must be `Apply` or `Update`');
  const apiVersion = textIn(entry, 'apiVersion');
  if (!apiVersion) throw new UndecodableEntries('apiVersion must not be empty');
  const fieldsType = textIn(entry, 'fieldsType');
  if (!fieldsType) throw new UndecodableEntries(`missing fieldsType in managed fields entry ${i}`);
  if (fieldsType !== 'FieldsV1')
    throw new UndecodableEntries(`invalid fieldsType ${goJson(fieldsType)} in managed fields entry ${i}`);
  return {
    name: textIn(entry, 'manager'),
    operation,
    apiVersion,
    subresource: textIn(entry, 'subresource'),
    time: timeOf(entry.time),
    fields: decodeFields(entry.fieldsV1 ?? {}),
  };
};

/** Throws UndecodableEntries. */
export const decodeEntries = (entries: unknown): Managers => {
  const managers = new Map<string, Manager>();
  if (entries === undefined || entries === null) return managers;
  if (!Array.isArray(entries) || !entries.every(isObject)) throw new UndecodableEntries('invalid managedFields');
  for (const [i, entry] of (entries as JsonObject[]).entries()) {
    try {
      const manager = managerOf(entry, i);
      managers.set(identityOf(manager), manager);
    } catch (error) {
      if (!(error instanceof UndecodableFields)) throw error;
      throw new UndecodableEntries(
        `error decoding versioned set from ${plainText(entry)}: error decoding set: ${error.message}`,
      );
    }
  }
  return managers;
};

/** None where the entries cannot be read. */
export const readableEntries = (entries: unknown): Managers => {
  try {
    return decodeEntries(entries);
  } catch (error) {
    if (!(error instanceof UndecodableEntries)) throw error;
    return new Map();
  }
};

const entryOf = ({ name, operation, apiVersion, subresource, time, fields }: Manager): JsonObject => ({
  ...(name && { manager: name }),
  operation,
  apiVersion,
  ...(time !== undefined && { time }),
  fieldsType: 'FieldsV1',
  fieldsV1: encodeFields(fields),
  ...(subresource && { subresource }),
});

const inOrder = (a: Manager, b: Manager): number =>
  compareText(a.operation, b.operation) ||
  secondsOf(a.time) - secondsOf(b.time) ||
  compareText(a.name, b.name) ||
  compareText(a.apiVersion, b.apiVersion) ||
  compareText(a.subresource, b.subresource);

/** Undefined when nothing is owned. */
export const encodeEntries = (managers: Managers): JsonObject[] | undefined =>
  managers.size > 0 ? [...managers.values()].sort(inOrder).map(entryOf) : undefined;

/** Whether a body asks to forget all owners. */
export const isReset = (entries: unknown): boolean =>
  Array.isArray(entries) &&
  (entries.length === 0 || (entries.length === 1 && isObject(entries[0]) && Object.keys(entries[0]).length === 0));

const mostUpdaters = 10;

/** Merges the oldest updaters of each version into one, while there are more than ten. */
export const capped = (managers: Managers): Managers => {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= mostUpdaters) return managers;
  updaters.sort(([a, { time: x }], [b, { time: y }]) => secondsOf(x) - secondsOf(y) || compareText(a, b));
  const result = new Map(managers);
  const firsts = new Map<string, string>();
  let count = updaters.length;
  for (const [identity, manager] of updaters) {
    if (count <= mostUpdaters) break;
    const { apiVersion, time, fields } = manager;
    const ancient = { name: 'ancient-changes', operation: 'Update', apiVersion, subresource: '' } as const;
    const bucket = identityOf(ancient);
    const first = firsts.get(apiVersion);
    if (first === undefined) {
      firsts.set(apiVersion, identity);
      continue;
    }
    const merged = result.get(bucket) ?? result.get(first)!;
    if (!result.has(bucket)) result.delete(first);
    result.delete(identity);
    result.set(bucket, { ...ancient, time, fields: union(fields, merged.fields) });
    count--;
  }
  return result;
};

const timeless = (entries: JsonValue[]): JsonValue[] =>
  entries.map((entry) => ({ ...(entry as JsonObject), time: undefined }));

/**
 * The next object with the times of the current one, when nothing else differs: then there is
 * nothing to write.
 */
export const withoutNewTimes = <T extends KubeObject>(next: T, current: KubeObject): T => {
  const [after, before] = [next.metadata.managedFields, current.metadata.managedFields];
  if (!after || !before || after.length !== before.length || !equal(timeless(after), timeless(before))) return next;
  const kept = { ...next, metadata: { ...next.metadata, managedFields: before } };
  return equal(kept, current) ? kept : next;
};
