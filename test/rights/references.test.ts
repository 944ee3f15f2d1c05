/** What a user refers to: nothing in another namespace that the user may not read. */
import { beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '../../kinds/index.ts';
import type { JsonSchema } from '../../machinery/api/schema.ts';
import { bindingOf, type Client, createRightsWorld, giveNamespace, type RightsWorld, rbac, roleOf } from './world.ts';

/** Every field of a schema, by path. */
const pathsIn = (schema: JsonSchema | undefined, path: string): string[] => {
  if (!schema) return [];
  const {
    properties = {},
    items,
    additionalProperties,
  } = schema as {
    properties?: Record<string, JsonSchema>;
    items?: JsonSchema;
    additionalProperties?: JsonSchema;
  };
  return [
    path,
    ...Object.entries(properties).flatMap(([name, of]) => pathsIn(of, path ? `${path}.${name}` : name)),
    ...pathsIn(items, `${path}[]`),
    ...(typeof additionalProperties === 'object' ? pathsIn(additionalProperties, `${path}.*`) : []),
  ];
};

/** What may name a namespace, and why it reads nothing there. */
const allowed: readonly [paths: RegExp, why: string][] = [
  [/^Event v1 (involvedObject|related|regarding)\.namespace$/, 'is never followed'],
  [/^ServiceAccount v1 secrets\[\]\.namespace$/, 'is never followed'],
  [/^(Cluster)?RoleBinding v1 subjects\[\]\.namespace$/, 'grants rights, and takes none'],
  [/^MachineDrainRule .* spec\.pods\[\]\.namespaceSelector/, 'selects in the workload cluster'],
  [/^AWSCluster(Controller|Role)Identity .* spec\.allowedNamespaces/, 'only administrators write it'],
  [
    /^(Validating|Mutating)(AdmissionPolicy(Binding)?|WebhookConfiguration) v1(beta1)? .*\.(namespace|namespaceSelector)$/,
    'belongs to no namespace: only administrators write it',
  ],
  [
    /^ExtensionConfig v1(alpha1|beta2) spec\.(clientConfig\.service\.namespace|namespaceSelector)$/,
    'belongs to no namespace: only administrators write it',
  ],
  [/ v1beta1 .*([rR]ef|[tT]emplate)\.namespace$/, 'must be the namespace of the object, which conversion leaves out'],
  [
    /^AWSManagedControlPlane v1beta2 .*\.accessScope\.namespaces(\[\])?$/,
    'are namespaces of the workload cluster, which EKS gives a principal access to',
  ],
  [/^FlowSchema v1 spec\.rules\[\]\./, 'has no effect'],
  [/^Addon v1alpha1 spec\.charts\[\]\.namespace$/, 'is a namespace of the workload cluster'],
  [/^GitOpsTarget v1alpha1 spec\.namespace$/, 'is a namespace of the cluster in which the tool runs'],
  [/^Cluster (v1beta2 spec\.topology\.classRef\.namespace|v1beta1 spec\.topology\.classNamespace)$/, 'needs the right'],
];

it('has no field that names a namespace besides the known ones', () => {
  const naming = kinds.flatMap(({ kind, versions }) =>
    versions.flatMap(({ name, schema }) =>
      Object.entries(schema.properties ?? {})
        .filter(([part]) => part !== 'metadata' && part !== 'status')
        .flatMap(([part, of]) => pathsIn(of, part))
        .filter((path) => /namespace[^.]*$/i.test(path))
        .map((path) => `${kind} ${name} ${path}`),
    ),
  );
  expect(naming.filter((one) => !allowed.some(([paths]) => paths.test(one)))).toEqual([]);
  for (const [paths] of allowed)
    expect(
      naming.filter((one) => paths.test(one)),
      String(paths),
    ).not.toEqual([]);
});

describe('a user of one namespace', () => {
  const clusters = (version: string) => `/apis/cluster.x-k8s.io/${version}/namespaces/mine/clusters`;
  const classes = '/apis/cluster.x-k8s.io/v1beta2/namespaces/theirs/clusterclasses';
  let world: RightsWorld;
  let eve: Client;
  beforeAll(async () => {
    world = createRightsWorld();
    eve = world.as('eve');
    await giveNamespace(world, 'mine', 'eve');
    await giveNamespace(world, 'theirs', 'ann');
  });

  const ofClass = (name: string, namespace: string) => ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name },
    spec: { topology: { classRef: { name: 'secret-class', namespace }, version: 'v1.34.0' } },
  });

  it('refers to no ClusterClass that the user may not get, whether it exists or not', async () => {
    const message =
      'clusters.cluster.x-k8s.io "c" is forbidden: clusterclasses.cluster.x-k8s.io "secret-class" is forbidden: User "eve" cannot get resource "clusterclasses" in API group "cluster.x-k8s.io" in the namespace "theirs"';
    expect((await eve.post(clusters('v1beta2'), ofClass('c', 'theirs'))).body).toMatchObject({ code: 403, message });
    const older = {
      apiVersion: 'cluster.x-k8s.io/v1beta1',
      kind: 'Cluster',
      metadata: { name: 'c' },
      spec: { topology: { class: 'secret-class', classNamespace: 'theirs', version: 'v1.34.0' } },
    };
    expect((await eve.post(clusters('v1beta1'), older)).body).toMatchObject({ code: 403, message });
    expect((await eve.post(`${clusters('v1beta2')}?dryRun=All`, ofClass('c', 'theirs'))).body.code).toBe(403);
  });

  it('may with the right to get the class, and keeps the reference when the right is gone', async () => {
    const rules = [{ apiGroups: ['cluster.x-k8s.io'], resources: ['clusterclasses'], verbs: ['get'] }];
    const bindings = `${rbac}/namespaces/theirs/rolebindings`;
    await world.root.post(`${rbac}/namespaces/theirs/roles`, roleOf('classes', rules, 'theirs'));
    await world.root.post(bindings, bindingOf('classes', 'Role/classes', 'eve', 'theirs'));
    expect((await eve.get(`${classes}/secret-class`)).status).toBe(404);
    const created = await eve.post(clusters('v1beta2'), ofClass('d', 'theirs'));
    expect(created.status, created.text).toBe(201);
    await world.root.delete(`${bindings}/classes`);
    const path = `${clusters('v1beta2')}/d`;
    expect((await eve.patch(path, 'merge', { metadata: { labels: { a: 'b' } } })).status).toBe(200);
    const other = { spec: { topology: { classRef: { name: 'other' } } } };
    const changed = await eve.patch(path, 'merge', other);
    expect(changed.status, changed.text).toBe(403);
  });

  it('refers by older versions only to the own namespace', async () => {
    const older = {
      apiVersion: 'cluster.x-k8s.io/v1beta1',
      kind: 'Cluster',
      metadata: { name: 'e' },
      spec: {
        infrastructureRef: {
          apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
          kind: 'AWSCluster',
          name: 'e',
          namespace: 'theirs',
        },
      },
    };
    expect((await eve.post(clusters('v1beta1'), older)).body).toMatchObject({
      code: 422,
      message: expect.stringContaining(
        'spec.infrastructureRef.namespace: Invalid value: "theirs": must match metadata.namespace',
      ),
    });
  });
});
