/** Chosen sequences of writes to one object, and what Kubernetes makes of them. */
import type { JsonObject } from '../../machinery/api/object.ts';
import type { JsonSchema } from '../../machinery/api/schema.ts';
import { apiVersionOf, type Case, hub, objectOf, type Step, type Version } from './sequence.ts';

const text: JsonSchema = { type: 'string' };
const number: JsonSchema = { type: 'integer' };
const keyed = (keys: string[], properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'array',
  items: { type: 'object', properties },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
});
const atomic = { 'x-kubernetes-map-type': 'atomic' } as const;
const fg = { type: 'object', properties: { f: number, g: number } } as const;

const properties: Record<string, JsonSchema> = {
  r: number,
  tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
  whole: { type: 'array', items: text },
  items: keyed(['name'], { name: text, v: number, w: number }),
  ports: keyed(['port', 'protocol'], { port: number, protocol: { ...text, default: 'TCP' }, v: number }),
  map: { type: 'object', additionalProperties: text },
  st: fg,
  any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  size: { 'x-kubernetes-int-or-string': true },
  at: { type: 'string', format: 'date-time' },
  object: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
};

const versionOf = (changed: Record<string, JsonSchema>, names: Record<string, string> = {}): Version => ({
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries({ ...properties, ...changed }).map(([name, of]) => [
            Object.entries(names).find(([, other]) => other === name)?.[0] ?? name,
            of,
          ]),
        ),
      },
      status: { type: 'object', properties: { phase: text } },
    },
  },
  names,
  reset: { '': ['status'], status: ['metadata', 'spec'] },
});

const versionsWith = (changed: Record<string, JsonSchema> = {}): Record<string, Version> => ({
  [hub]: versionOf(changed),
  v2: versionOf(changed, { replicas: 'r' }),
});

type Extra = Partial<Step> & { content?: JsonObject; metadata?: JsonObject };
type Write = Omit<Step, 'object' | 'version' | 'operation'> &
  Pick<Step, 'operation'> & { version?: string } & {
    content: JsonObject;
    metadata?: JsonObject;
  };

const write =
  (operation: 'apply' | 'update', force: boolean) =>
  (manager: string, spec: JsonObject, { content = {}, ...extra }: Extra = {}): Write => ({
    operation,
    force,
    manager,
    content: { spec, ...content },
    ...extra,
  });
const apply = write('apply', false);
const force = write('apply', true);
const update = write('update', false);

export interface WriteCase {
  rule: string;
  writes: Write[];
  /** Of spec, at the end. */
  spec?: unknown;
  /** Paths by manager, operation where it is an update, and subresource. */
  owners?: Record<string, string>;
  /** What the last write is refused with. */
  error?: string;
}

const conflict = (path: string, manager: string) => `Apply failed with 1 conflict: conflict with "${manager}: ${path}`;
const using = `" using ${apiVersionOf(hub)}`;

export const writeCases: WriteCase[] = [
  {
    rule: 'a field that another applier owns stays when one stops applying it; an empty map is a leaf',
    writes: [apply('a', { r: 3 }), apply('b', { r: 3 }), apply('a', {})],
    spec: { r: 3 },
    owners: { a: '.spec', b: '.spec.r' },
  },
  {
    rule: 'a field that an updater changed is the updater’s',
    writes: [apply('a', { r: 3 }), update('u', { r: 5 }), apply('a', {})],
    spec: { r: 5 },
    owners: { a: '.spec', 'u Update': '.spec.r' },
  },
  {
    rule: 'applying another value than an updater’s conflicts',
    writes: [apply('a', { r: 3 }), update('u', { r: 5 }), apply('a', { r: 3 })],
    error: conflict('.spec.r', `u${using}`),
  },
  {
    rule: 'force takes the field over, and an entry without fields goes',
    writes: [apply('a', { r: 3 }), update('u', { r: 5 }), force('a', { r: 3 })],
    spec: { r: 3 },
    owners: { a: '.spec.r' },
  },
  {
    rule: 'one name as applier and as updater is two managers',
    writes: [update('a', { r: 3 }), apply('a', { r: 4 })],
    error: conflict('.spec.r', `a${using}`),
  },
  {
    rule: 'applying the value that an updater set shares the field',
    writes: [update('u', { r: 3 }), apply('a', { r: 3 })],
    spec: { r: 3 },
    owners: { a: '.spec.r', 'u Update': '.spec\n.spec.r' },
  },
  {
    rule: 'a set loses the values that its only applier leaves out',
    writes: [apply('a', { tags: ['a', 'b'] }), apply('b', { tags: ['c', 'b'] }), apply('a', { tags: ['b'] })],
    spec: { tags: ['c', 'b'] },
    owners: { a: '.spec.tags[="b"]', b: '.spec.tags[="b"]\n.spec.tags[="c"]' },
  },
  {
    rule: 'shared items come in the order of the configuration, others keep their place',
    writes: [apply('a', { tags: ['z', 'x', 'y'] }), apply('b', { tags: ['y', 'x'] })],
    spec: { tags: ['z', 'y', 'x'] },
  },
  {
    rule: 'appliers of one atomic list own it together',
    writes: [apply('a', { whole: ['x'] }), apply('b', { whole: ['x'] })],
    spec: { whole: ['x'] },
    owners: { a: '.spec.whole', b: '.spec.whole' },
  },
  {
    rule: 'another atomic list conflicts as a whole',
    writes: [apply('a', { whole: ['x'] }), apply('b', { whole: ['x'] }), apply('b', { whole: ['y'] })],
    error: conflict('.spec.whole', 'a"'),
  },
  {
    rule: 'an item goes with the fields that updaters added to it, and an empty list becomes null',
    writes: [
      apply('a', { items: [{ name: 'x', v: 1 }] }),
      update('u', { items: [{ name: 'x', v: 1, w: 2 }] }),
      apply('a', {}),
    ],
    spec: { items: null },
    owners: { a: '.spec' },
  },
  {
    rule: 'an item that is applied still keeps the fields of updaters',
    writes: [
      apply('a', { items: [{ name: 'x', v: 1 }] }),
      update('u', { items: [{ name: 'x', v: 1, w: 2 }] }),
      apply('a', { items: [{ name: 'x' }] }),
    ],
    spec: { items: [{ name: 'x', w: 2 }] },
    owners: {
      a: '.spec.items[name="x"]\n.spec.items[name="x"].name',
      'u Update': '.spec.items[name="x"].w',
    },
  },
  {
    rule: 'an item that another applier has loses only the fields of the one that leaves it out',
    writes: [
      apply('a', { items: [{ name: 'x', v: 1 }] }),
      apply('b', { items: [{ name: 'x', w: 2 }] }),
      apply('a', { items: [] }),
    ],
    spec: { items: [{ name: 'x', w: 2 }] },
    owners: {
      b: '.spec.items[name="x"]\n.spec.items[name="x"].name\n.spec.items[name="x"].w',
    },
  },
  {
    rule: 'keys of maps that updaters added stay',
    writes: [apply('a', { map: { k: '1' } }), update('u', { map: { k: '1', j: '2' } }), apply('a', {})],
    spec: { map: { j: '2' } },
    owners: { a: '.spec', 'u Update': '.spec.map.j' },
  },
  {
    rule: 'fields of structs that updaters added stay',
    writes: [apply('a', { st: { f: 1 } }), update('u', { st: { f: 1, g: 2 } }), apply('a', {})],
    spec: { st: { g: 2 } },
    owners: { a: '.spec', 'u Update': '.spec.st.g' },
  },
  {
    rule: 'null for a container with content changes nothing',
    writes: [update('u', { st: { f: 1 } }), apply('a', { st: null })],
    spec: { st: { f: 1 } },
    owners: { a: '.spec.st', 'u Update': '.spec\n.spec.st\n.spec.st.f' },
  },
  {
    rule: 'null for a scalar is a value',
    writes: [update('u', { r: 1 }), apply('a', { r: null })],
    error: conflict('.spec.r', `u${using}`),
  },
  {
    rule: 'an empty set owns nothing, so the next apply meets what was before the first',
    writes: [apply('a', { tags: [] }), apply('b', { tags: ['x'] }), apply('a', { tags: ['y'] })],
    spec: { tags: ['x', 'y'] },
    owners: { a: '.spec.tags[="y"]', b: '.spec.tags[="x"]', 'before-first-apply Update': '.spec\n.spec.tags' },
  },
  {
    rule: 'force moves only the fields that conflict',
    writes: [apply('a', { st: { f: 1, g: 1 } }), force('b', { st: { f: 2 } })],
    spec: { st: { f: 2, g: 1 } },
    owners: { a: '.spec.st.g', b: '.spec.st.f' },
  },
  {
    rule: 'after all fields are gone nothing is tracked',
    writes: [apply('a', { st: { f: 1 } }), update('u', {}, { content: { spec: undefined } }), update('u', { r: 1 })],
    spec: { r: 1 },
    owners: {},
  },
  {
    rule: 'a value that the live set has twice stays so when another one is applied',
    writes: [update('u', { tags: ['a', 'a'] }), apply('a', { tags: ['b'] })],
    spec: { tags: ['a', 'a', 'b'] },
  },
  {
    rule: 'a value that the live set has twice conflicts when it is applied',
    writes: [update('u', { tags: ['a', 'a'] }), apply('a', { tags: ['a'] })],
    error: conflict('.spec.tags[="a"]', `u${using}`),
  },
  {
    rule: 'force leaves one of the values that the live set has twice',
    writes: [update('u', { tags: ['a', 'a'] }), force('a', { tags: ['a'] })],
    spec: { tags: ['a'] },
    owners: { a: '.spec.tags[="a"]', 'u Update': '.spec\n.spec.tags' },
  },
  {
    rule: 'one key twice in a configuration, once by its default, is refused',
    writes: [apply('a', { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] })],
    error: `failed to create typed patch object (default/it; ${apiVersionOf(hub)}, Kind=It): .spec.ports: duplicate entries for key [port=1,protocol="TCP"]`,
  },
  {
    rule: 'a missing key has its default, and without one the item is another one',
    writes: [apply('a', { ports: [{ port: 1, v: 1 }, { v: 2 }] })],
    spec: { ports: [{ port: 1, v: 1 }, { v: 2 }] },
    owners: {
      a: [
        '.spec.ports[port=1,protocol="TCP"]',
        '.spec.ports[protocol="TCP"]',
        '.spec.ports[port=1,protocol="TCP"].port',
        '.spec.ports[port=1,protocol="TCP"].v',
        '.spec.ports[protocol="TCP"].v',
      ].join('\n'),
    },
  },
  {
    rule: 'a list whose only item keeps none of its fields becomes null',
    writes: [apply('a', { ports: [{ v: 1 }] }), apply('a', { ports: [{}] })],
    spec: { ports: null },
    owners: { a: '.spec.ports[protocol="TCP"]' },
  },
  {
    rule: 'an item without any key is refused',
    writes: [apply('a', { items: [{ v: 1 }] })],
    error: `failed to create typed patch object (default/it; ${apiVersionOf(hub)}, Kind=It): .spec.items: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)`,
  },
  {
    rule: 'lists without a schema are atomic, maps granular',
    writes: [apply('a', { any: { m: { x: 1 }, l: [1, 2] } }), apply('b', { any: { m: { y: 1 }, l: [1] } })],
    error: conflict('.spec.any.l', 'a"'),
  },
  {
    rule: 'a node that became atomic belongs to those who owned a part of it',
    writes: [
      apply('a', { st: { f: 1 } }),
      apply('b', { st: { f: 2 } }, { versions: versionsWith({ st: { ...fg, ...atomic } }) }),
    ],
    error: conflict('.spec.st', 'a"'),
  },
  {
    rule: 'force replaces a node that became atomic',
    writes: [
      apply('a', { st: { f: 1, g: 1 } }),
      force('b', { st: { f: 2 } }, { versions: versionsWith({ st: { ...fg, ...atomic } }) }),
    ],
    spec: { st: { f: 2 } },
    owners: { b: '.spec.st' },
  },
  {
    rule: 'a node that became granular keeps its owner, whose parts are free',
    writes: [
      apply('a', { st: { f: 1 } }, { versions: versionsWith({ st: { ...fg, ...atomic } }) }),
      apply('b', { st: { f: 2 } }, { versions: versionsWith() }),
    ],
    spec: { st: { f: 2 } },
    owners: { a: '.spec.st', b: '.spec.st.f' },
  },
  {
    rule: 'updates own the containers that they created, applies do not',
    writes: [update('u', { st: { f: 1 } }), apply('a', { st: { g: 1 } })],
    spec: { st: { f: 1, g: 1 } },
    owners: { 'u Update': '.spec\n.spec.st\n.spec.st.f', a: '.spec.st.g' },
  },
  {
    rule: 'equal numbers are equal in any spelling, and scalars of any kind fit where any may stand',
    writes: [apply('a', { size: 1, at: '2001-01-01T00:00:00Z' }), apply('b', { size: 1.0 })],
    spec: { size: 1, at: '2001-01-01T00:00:00Z' },
    owners: { a: '.spec.at\n.spec.size', b: '.spec.size' },
  },
  {
    rule: 'an undeclared field is refused',
    writes: [apply('a', { zzz: 1 })],
    error: `failed to create typed patch object (default/it; ${apiVersionOf(hub)}, Kind=It): .spec.zzz: field not declared in schema`,
  },
  {
    rule: 'several misfits are lines',
    writes: [apply('a', { r: 'x', tags: ['a', 'a'] })],
    error: [
      `failed to create typed patch object (default/it; ${apiVersionOf(hub)}, Kind=It): errors:`,
      '  .spec.r: expected numeric (int or float), got string',
      '  .spec.tags: duplicate entries for key [="a"]',
    ].join('\n'),
  },
  {
    rule: 'owners of a body are refused in an apply',
    writes: [apply('a', { r: 1 }, { metadata: { managedFields: [] } })],
    error: 'metadata.managedFields must be nil',
  },
  {
    rule: 'a configuration of another version is refused',
    writes: [apply('a', { r: 1 }, { content: { apiVersion: 'it.example.com/v2' } })],
    error: 'invalid object type: it.example.com/v2, Kind=It',
  },
  {
    rule: 'conflicts with several managers are lines, with subresource and version',
    writes: [
      update('s', { r: 1 }, { content: { status: { phase: 'x' } }, subresource: 'status' }),
      update('u', { r: 1, st: { f: 1 } }),
      apply('a', { r: 1, map: { k: '1' } }),
      apply('b', { r: 1, st: { f: 2 }, map: { k: '2' } }),
    ],
    error: [
      'Apply failed with 2 conflicts: conflicts with "a":',
      '- .spec.map.k',
      `conflicts with "u${using}:`,
      '- .spec.st.f',
    ].join('\n'),
  },
  {
    rule: 'the object’s own path owns no status, the status’s path nothing else',
    writes: [
      apply('a', { r: 1 }, { content: { status: { phase: 'x' } } }),
      apply('b', { r: 2 }, { content: { status: { phase: 'y' } }, subresource: 'status' }),
    ],
    owners: { a: '.spec.r', 'b/status': '.status.phase' },
  },
  {
    rule: 'labels are granular, finalizers a set, owner references are whole items by uid, and identity is not owned',
    writes: [
      apply(
        'a',
        { r: 1 },
        {
          metadata: {
            labels: { x: '1' },
            finalizers: ['f'],
            ownerReferences: [{ apiVersion: 'v1', kind: 'It', name: 'o', uid: '1' }],
          },
        },
      ),
    ],
    owners: {
      a: '.metadata.finalizers[="f"]\n.metadata.labels.x\n.metadata.ownerReferences[uid="1"]\n.spec.r',
    },
  },
  {
    rule: 'the metadata of an embedded resource merges as metadata does',
    writes: [
      apply('a', { object: { apiVersion: 'v1', kind: 'X', metadata: { finalizers: ['f'] }, spec: { l: [1] } } }),
      apply('b', { object: { metadata: { finalizers: ['g'] } } }),
    ],
    spec: { object: { apiVersion: 'v1', kind: 'X', metadata: { finalizers: ['f', 'g'] }, spec: { l: [1] } } },
    owners: {
      a: [
        '.spec.object.apiVersion',
        '.spec.object.kind',
        '.spec.object.metadata.finalizers[="f"]',
        '.spec.object.spec.l',
      ].join('\n'),
      b: '.spec.object.metadata.finalizers[="g"]',
    },
  },
  {
    rule: 'a conflict names the owner’s fields in the owner’s version',
    writes: [update('u', { r: 1 }), apply('a', { replicas: 2 }, { version: 'v2' })],
    error: conflict('.spec.r', `u${using}`),
  },
  {
    rule: 'a field that was applied in another version is removed, unless an owner in that version has it',
    writes: [
      apply('a', { r: 1, st: { f: 1 } }),
      apply('b', { r: 1 }),
      apply('a', { replicas: 1 }, { version: 'v2' }),
      apply('a', { map: { k: '1' } }, { version: 'v2' }),
    ],
    spec: { r: 1, map: { k: '1' } },
    owners: { a: '.spec.map.k', b: '.spec.r' },
  },
  {
    rule: 'managers of versions that are gone vanish',
    writes: [
      update('u', { replicas: 1 }, { version: 'v2' }),
      apply('a', { r: 2 }, { versions: { [hub]: versionOf({}) } }),
    ],
    spec: { r: 2 },
    owners: { a: '.spec.r' },
  },
  {
    rule: 'an empty list of owners clears them, and then updates are not tracked',
    writes: [apply('a', { r: 1 }), update('u', { r: 1 }, { metadata: { managedFields: [] } }), update('u', { r: 2 })],
    spec: { r: 2 },
    owners: {},
  },
  {
    rule: 'the first apply after a reset meets all that is there',
    writes: [apply('a', { r: 1 }), update('u', { r: 1 }, { metadata: { managedFields: [{}] } }), apply('a', { r: 2 })],
    error: conflict('.spec.r', `before-first-apply${using}`),
  },
  {
    rule: 'a subresource’s body cannot clear the owners',
    writes: [apply('a', { r: 1 }), update('u', { r: 1 }, { metadata: { managedFields: [] }, subresource: 'status' })],
    owners: { a: '.spec.r' },
  },
  {
    rule: 'owners of a body that cannot be read leave those of the live object',
    writes: [
      apply('a', { r: 1 }),
      update('u', { r: 1 }, { metadata: { managedFields: [{ manager: 'x', operation: 'Other', apiVersion: 'v1' }] } }),
    ],
    owners: { a: '.spec.r' },
  },
  {
    rule: 'kubectl takes over what it had applied from the client',
    writes: [
      update(
        'kubectl-client-side-apply',
        { r: 1, st: { f: 1 } },
        {
          metadata: {
            annotations: {
              'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(objectOf(hub, { spec: { r: 1 } })),
            },
          },
        },
      ),
      apply('kubectl', { r: 2 }),
    ],
    spec: { r: 2, st: { f: 1 } },
  },
  {
    rule: 'kubectl conflicts over what it had not applied from the client',
    writes: [
      update(
        'kubectl-client-side-apply',
        { r: 1, st: { f: 1 } },
        {
          metadata: {
            annotations: {
              'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(objectOf(hub, { spec: { r: 1 } })),
            },
          },
        },
      ),
      apply('kubectl', { r: 2, st: { f: 2 } }),
    ],
    error: conflict('.spec.st.f', `kubectl-client-side-apply${using}`),
  },
  {
    rule: 'a manager without a name is unknown',
    writes: [update('', { r: 1 })],
    owners: { 'unknown Update': '.spec\n.spec.r' },
  },
  {
    rule: 'keys that JavaScript objects inherit are plain keys',
    writes: [
      apply('a', { any: JSON.parse('{"__proto__":{"x":1},"constructor":1}'), map: JSON.parse('{"__proto__":"1"}') }),
      apply('a', { any: { toString: 1 } }),
    ],
    spec: { any: { toString: 1 } },
    owners: { a: '.spec.any.toString' },
  },
];

/** More than ten updaters. */
const crowd: Write[] = Array.from({ length: 12 }, (_, i) => update(`u${i}`, { map: { [`k${i}`]: '1' } }));
writeCases.push({
  rule: 'the oldest of more than ten updaters are merged',
  writes: crowd.map((one, i) => ({
    ...one,
    content: { spec: { map: Object.fromEntries(crowd.slice(0, i + 1).map((_, k) => [`k${k}`, '1'])) } },
  })),
  owners: {
    'ancient-changes Update': '.spec\n.spec.map\n.spec.map.k0\n.spec.map.k1\n.spec.map.k2',
    ...Object.fromEntries(crowd.slice(3).map((_, i) => [`u${i + 3} Update`, `.spec.map.k${i + 3}`])),
  },
});

export const caseOf = ({ writes }: WriteCase): Case => ({
  custom: true,
  steps: writes.map(({ content, metadata, version = hub, ...write }, i) => ({
    version,
    now: `2001-01-01T00:00:${String(i).padStart(2, '0')}Z`,
    subresource: '',
    ...write,
    ...(i === 0 && !write.versions && { versions: versionsWith() }),
    object: JSON.parse(
      JSON.stringify(
        objectOf(version, content, { ...(i > 0 && write.operation === 'update' && { uid: 'it' }), ...metadata }),
      ),
    ),
  })),
});
