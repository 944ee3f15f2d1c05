/** metav1.Table, which `kubectl get` prints. */

import { age } from '../api/age.ts';
import { badRequest } from '../api/errors.ts';
import { jsonPath } from '../api/json-path.ts';
import type { Column } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import type { Call } from './call.ts';
import { fromStored } from './convert.ts';
import { type ListMeta, metaApiVersion, partialOf } from './meta.ts';
import type { Form } from './negotiate.ts';

const nameColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object, unique among its kind in its namespace.',
  priority: 0,
};
const ageColumn: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since the object was created.',
};

/** Without columns a table shows names and ages. */
export const columnsOf = (columns: Column[]): Column[] => (columns.length > 0 ? columns : [ageColumn]);

type Cell = string | number | boolean | null;

const printed = (column: Column, value: unknown, now: number): Cell => {
  if (value === undefined || value === null) return null;
  switch (column.type) {
    case 'date':
      if (typeof value !== 'string') return null;
      return Number.isNaN(Date.parse(value)) ? '<invalid>' : age(value, now);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'string':
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
};

const cell = (column: Column, object: KubeObject, now: number): Cell => {
  if (column.value) return column.value(object, now);
  return column.jsonPath ? printed(column, jsonPath(column.jsonPath, object)[0], now) : null;
};

const definition = ({ name, type, format, description, priority }: Column) => ({
  name,
  type,
  format: format ?? '',
  description: description ?? '',
  priority: priority ?? 0,
});

type IncludeObject = 'None' | 'Metadata' | 'Object';
const includeObject = ({ query }: Call): IncludeObject => {
  const value = query.get('includeObject') || 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
};

/** Rows of stored objects, in the version of the call. */
export const tableOf = (call: Call, stored: KubeObject[], metadata: ListMeta, form: Form) => {
  const { resource, version, server } = call;
  const include = includeObject(call);
  const now = server.clock.now();
  const columns = columnsOf(version.columns);
  // Some kinds define their own Name column, as Event does.
  const named = columns.some(({ name }) => name === 'Name');
  return {
    kind: 'Table',
    apiVersion: metaApiVersion(form),
    metadata,
    columnDefinitions: [...(named ? [] : [nameColumn]), ...columns.map(definition)],
    rows: stored.map((each) => {
      const object = fromStored(resource.kind, version, each);
      return {
        cells: [...(named ? [] : [object.metadata.name]), ...columns.map((column) => cell(column, object, now))],
        object: include === 'Object' ? object : include === 'Metadata' ? partialOf(object, form) : null,
      };
    }),
  };
};
