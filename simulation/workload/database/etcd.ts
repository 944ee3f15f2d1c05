/** The database file of an etcd member: the objects of its cluster at one revision. */
import { groupOf } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { boltFile, type Entry } from './bolt.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');
const bigEndian = (value: number): Buffer => {
  const made = Buffer.alloc(8);
  made.writeBigUInt64BE(BigInt(value));
  return made;
};

const varint = (value: number): Buffer => {
  const made: number[] = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) made.push(Number(rest & 127n) | 128);
  made.push(Number(rest));
  return Buffer.from(made);
};
const lengthDelimited = (field: number, content: Buffer): Buffer =>
  Buffer.concat([varint(field * 8 + 2), varint(content.length), content]);
const int64 = (field: number, value: number): Buffer => Buffer.concat([varint(field * 8), varint(value)]);

/** mvccpb.KeyValue. */
const keyValue = (key: string, revision: number, value: string): Buffer =>
  Buffer.concat([
    lengthDelimited(1, bytes(key)),
    int64(2, revision),
    int64(3, revision),
    int64(4, 1),
    lengthDelimited(5, bytes(value)),
  ]);

const revisionKey = (revision: number): Buffer => Buffer.concat([bigEndian(revision), bytes('_'), bigEndian(0)]);

/** Built-in types whose keys have other names than their resources. */
const renamed: Record<string, string> = {
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  services: 'services/specs',
};
/** Groups of built-in types, which have no part in their keys. */
const builtIn = new Set(
  ['admissionregistration', 'certificates', 'coordination', 'discovery', 'networking', 'node', 'scheduling', 'storage']
    .concat('events', 'flowcontrol.apiserver', 'rbac.authorization', 'resource')
    .map((group) => `${group}.k8s.io`),
);

/** As the API server names it. */
const keyOf = (type: string, { apiVersion, metadata: { namespace, name } }: KubeObject): string => {
  const [plural = ''] = type.split('.');
  const group = groupOf(apiVersion);
  const isOwn = !group.includes('.') || builtIn.has(group);
  const prefix = isOwn ? [renamed[plural] ?? plural] : [group, plural];
  return ['/registry', ...prefix, ...(namespace ? [namespace] : []), name].join('/');
};

export interface DatabaseContent {
  objects: readonly (readonly [type: string, object: KubeObject])[];
  /** Of the newest object. */
  revision: number;
}

export const etcdDatabase = ({ objects, revision }: DatabaseContent): Buffer => {
  // Only the newest revision is known, so that older objects get consecutive ones before it.
  const first = Math.max(2, revision - objects.length + 1);
  const entries = objects.map(([type, object], i): Entry => {
    const own = first + i;
    return [revisionKey(own), keyValue(keyOf(type, object), own, JSON.stringify(object))];
  });
  return boltFile({
    alarm: [],
    auth: [],
    authRoles: [],
    authUsers: [],
    cluster: [],
    key: entries,
    lease: [],
    members: [],
    members_removed: [],
    meta: [
      [bytes('consistent_index'), bigEndian(first + objects.length)],
      [bytes('term'), bigEndian(2)],
    ],
  });
};
