/** What the Workload port promises on a cluster of three control plane nodes, in any implementation. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { builtIn } from '../../adapters/workload/built-in.ts';
import type { EtcdAccess, Workload } from '../../kinds/ports/workload.ts';
import type { JsonObject, KubeObject } from '../../machinery/api/object.ts';

export interface WorkloadWorld {
  workload: Workload;
  /** The kubeconfig of an administrator. */
  kubeconfig: string;
  /** Of a user without a role; of another cluster's administrator; and of a client that trusts another authority. */
  others: { powerless: string; otherAdministrator: string; distrustful: string };
  gitVersion: string;
  /** Objects that take several pages to list. */
  many: number;
  nodes: string[];
  etcd: EtcdAccess;
  /** Client credentials for another etcd. */
  strangeEtcd: EtcdAccess;
  /** Creates a pod that runs on a node and is ready. */
  run(pod: JsonObject): Promise<void>;
  /** Resolves when a disruption budget reports what it allows. */
  judged(namespace: string, name: string, allowed: number): Promise<void>;
  /** Raises the etcd alarm NOSPACE. */
  raiseAlarm(): Promise<void>;
}

const examples = join(import.meta.dirname, '../../examples');
/** The objects of the example's ClusterResourceSet. */
const addons = (): JsonObject[] =>
  parseAllDocuments(readFileSync(join(examples, 'quickstart.yaml'), 'utf8'))
    .map((document) => document.toJS() as { kind: string; data?: Record<string, string> })
    .filter(({ kind }) => kind === 'ConfigMap')
    .flatMap(({ data = {} }) => Object.values(data))
    .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as JsonObject));

/** Other kinds that add-ons contain. */
const more: JsonObject[] = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'addon' },
    rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'addon', namespace: 'kube-system' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['addon'], verbs: ['get'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'addon', namespace: 'kube-system' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'addon' },
    subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:nodes' }],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'addon', namespace: 'kube-system', labels: { app: 'addon' } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'addon' } },
      template: {
        metadata: { labels: { app: 'addon' } },
        spec: {
          tolerations: [{ operator: 'Exists' }],
          containers: [
            { name: 'addon', image: 'addon:1', env: [{ name: 'A', value: 'b' }], ports: [{ containerPort: 80 }] },
          ],
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'addon', namespace: 'kube-system' },
    spec: { selector: { app: 'addon' }, ports: [{ port: 80, targetPort: 80 }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'addon', namespace: 'kube-system' },
    type: 'Opaque',
    data: { key: 'dmFsdWU=' },
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'addon', namespace: 'kube-system' },
    data: { key: 'value' },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'addon', namespace: 'kube-system' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'addon' } } },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'addon' },
    provisioner: 'ebs.csi.aws.com',
    volumeBindingMode: 'WaitForFirstConsumer',
  },
];
const definition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'addons.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'addons', singular: 'addon', kind: 'Addon', listKind: 'AddonList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
          },
        },
      },
    ],
  },
};
const custom: JsonObject = {
  apiVersion: 'example.com/v1',
  kind: 'Addon',
  metadata: { name: 'one', namespace: 'kube-system' },
  spec: { size: 1 },
};

const reference = (object: JsonObject) => {
  const { apiVersion, kind, metadata } = object as unknown as KubeObject;
  const { namespace, name } = metadata;
  return { apiVersion, kind, name, ...(namespace && { namespace }) };
};
const configMap = (name: string, data: Record<string, string> = {}, namespace = 'default'): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name },
  data,
});
const podOf = (name: string, nodeName: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name, labels: { app: name } },
  spec: { nodeName, terminationGracePeriodSeconds: 30, containers: [{ name: 'main', image: 'pause' }] },
});

export const workloadContract = (name: string, open: () => Promise<WorkloadWorld>) =>
  describe(name, () => {
    let world: WorkloadWorld;
    let read: Workload['read'];
    let effect: Workload['effect'];
    let kubeconfig: string;
    beforeAll(async () => {
      world = await open();
      ({ read, effect } = world.workload);
      kubeconfig = world.kubeconfig;
    });
    const get = (object: JsonObject) => read('get', { kubeconfig, ...reference(object) });
    const until = async (done: () => Promise<boolean>) => {
      for (let tries = 0; !(await done()); tries++) {
        if (tries === 300) throw new Error('not true after 30 s');
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };

    it('returns the version', async () => {
      expect(await read('version', { kubeconfig })).toMatchObject({ gitVersion: world.gitVersion });
    });

    describe('objects', () => {
      it('are created once, and read back', async () => {
        const object = configMap('created', { a: '1' });
        expect(await get(object)).toBeUndefined();
        await effect('create', { kubeconfig, object });
        await effect('create', { kubeconfig, object: configMap('created', { a: '2' }) });
        expect(await get(object)).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } });
      });

      it('are patched at the observed version', async () => {
        const target = reference(configMap('patched'));
        await effect('create', { kubeconfig, object: configMap('patched', { a: '1', b: '1' }) });
        await effect('patch', { kubeconfig, ...target, patch: { data: { a: null, c: '1' } } });
        const now = await read('get', { kubeconfig, ...target });
        expect(now).toMatchObject({ data: { b: '1', c: '1' } });
        const { resourceVersion = '' } = now!.metadata;
        await effect('patch', { kubeconfig, ...target, patch: { data: { b: '2' } }, resourceVersion });
        await expect(
          effect('patch', { kubeconfig, ...target, patch: { data: { b: '3' } }, resourceVersion }),
        ).rejects.toMatchObject({ name: 'WorkloadError', code: 'Conflict' });
        expect(await read('get', { kubeconfig, ...target })).toMatchObject({ data: { b: '2' } });
      });

      it('are not patched when they do not exist', async () => {
        const target = reference(configMap('absent'));
        await effect('patch', { kubeconfig, ...target, patch: {}, ifPresent: true });
        await expect(effect('patch', { kubeconfig, ...target, patch: {} })).rejects.toMatchObject({ code: 'NotFound' });
      });

      it('are deleted, and a second deletion succeeds', async () => {
        const object = configMap('deleted');
        await effect('create', { kubeconfig, object });
        await effect('delete', { kubeconfig, ...reference(object) });
        await effect('delete', { kubeconfig, ...reference(object) });
        expect(await get(object)).toBeUndefined();
      });

      it('need their namespace', async () => {
        const object = configMap('homeless', {}, 'nowhere');
        await expect(effect('create', { kubeconfig, object })).rejects.toMatchObject({ code: 'NotFound' });
        expect(await get(object)).toBeUndefined();
      });

      it('need a served kind', async () => {
        const object = {
          apiVersion: 'nobody.example.com/v1',
          kind: 'Nothing',
          metadata: { name: 'x', namespace: 'default' },
        };
        await expect(effect('create', { kubeconfig, object })).rejects.toMatchObject({ code: 'NotFound' });
        await expect(effect('apply', { kubeconfig, object })).rejects.toMatchObject({ code: 'NotFound' });
        await effect('delete', { kubeconfig, ...reference(object) });
        expect(await get(object)).toBeUndefined();
        expect(await read('list', { kubeconfig, apiVersion: object.apiVersion, kind: 'Nothing' })).toBeUndefined();
      });

      it('of built-in kinds need no discovery', async () => {
        const kinds = Object.entries(builtIn).flatMap(([apiVersion, all = []]) =>
          all.map(({ kind }) => ({ apiVersion, kind })),
        );
        for (const { apiVersion, kind } of kinds) {
          const there = await read('list', { kubeconfig, apiVersion, kind, namespace: 'kube-system' });
          expect(there, kind).toBeDefined();
          for (const object of there!.items.slice(0, 1))
            expect(await get(object as unknown as JsonObject), kind).toEqual(object);
        }
      });

      it('need valid names', async () => {
        const refused = effect('create', { kubeconfig, object: configMap('Not_A_Name') });
        await expect(refused).rejects.toMatchObject({ code: 'Invalid' });
        await expect(refused).rejects.toThrow('metadata.name');
      });

      it('are listed by namespace, label and field, however many exist', async () => {
        await effect('create', {
          kubeconfig,
          object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'many' } },
        });
        const numbers = Array.from({ length: world.many }, (_, i) => i);
        const lane = async (start: number) => {
          for (const i of numbers.filter((n) => n % 8 === start)) {
            const object = configMap(`many-${i}`, { text: 'x'.repeat(200) }, 'many');
            Object.assign(object.metadata as object, { labels: { third: String(i % 3) } });
            await effect('create', { kubeconfig, object });
          }
        };
        await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(lane));
        const list = async (options: object) =>
          (await read('list', { kubeconfig, apiVersion: 'v1', kind: 'ConfigMap', ...options }))?.items ?? [];
        const mine = (items: KubeObject[]) => items.filter(({ metadata }) => metadata.name.startsWith('many-'));
        expect(mine(await list({ namespace: 'many' }))).toHaveLength(world.many);
        expect(
          mine(await list({}))
            .map(({ metadata }) => metadata.name)
            .sort(),
        ).toEqual(numbers.map((i) => `many-${i}`).sort());
        const third = await list({ namespace: 'many', labelSelector: 'third=0' });
        expect(third).toHaveLength(Math.ceil(world.many / 3));
        expect(third[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
        const one = await list({ namespace: 'many', fieldSelector: 'metadata.name=many-7' });
        expect(one.map(({ metadata }) => metadata.name)).toEqual(['many-7']);
        expect(await list({ namespace: 'nowhere' })).toEqual([]);
      });
    });

    describe('add-ons', () => {
      it.each(['apply', 'create'] as const)('are applied by %s, idempotently', async (operation) => {
        for (const object of [...addons(), ...more]) {
          await effect(operation, { kubeconfig, object });
          expect(await get(object), JSON.stringify(reference(object))).toBeDefined();
        }
        for (const object of [...addons(), ...more]) await effect(operation, { kubeconfig, object });
      });

      it('are changed by apply, and not by create', async () => {
        const changed = configMap('addon', { key: 'other' }, 'kube-system');
        await effect('create', { kubeconfig, object: changed });
        expect(await get(changed)).toMatchObject({ data: { key: 'value' } });
        await effect('apply', { kubeconfig, object: changed });
        expect(await get(changed)).toMatchObject({ data: { key: 'other' } });
      });

      it('are applied by their manager, which drops what it no longer names, and leaves what others set', async () => {
        const apply = (data: Record<string, string>) =>
          effect('applyServerSide', {
            kubeconfig,
            object: configMap('applied', data, 'kube-system'),
            fieldManager: 'capstan-addons',
          });
        await apply({ kept: '1', dropped: '1' });
        const target = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'kube-system', name: 'applied' };
        await effect('patch', { kubeconfig, ...target, patch: { data: { foreign: '1' } } });
        await apply({ kept: '2' });
        expect(await get(configMap('applied', {}, 'kube-system'))).toMatchObject({ data: { kept: '2', foreign: '1' } });
        expect(await get(configMap('applied', {}, 'kube-system'))).not.toHaveProperty('data.dropped');
        const lost = configMap('applied', {}, 'nowhere-at-all');
        await expect(
          effect('applyServerSide', { kubeconfig, object: lost, fieldManager: 'capstan-addons' }),
        ).rejects.toMatchObject({ code: 'NotFound' });
      });

      it('may define their own kinds', async () => {
        await expect(effect('create', { kubeconfig, object: custom })).rejects.toMatchObject({ code: 'NotFound' });
        await effect('apply', { kubeconfig, object: definition });
        await until(() =>
          effect('apply', { kubeconfig, object: custom }).then(
            () => true,
            () => false,
          ),
        );
        await effect('apply', { kubeconfig, object: { ...custom, spec: { size: 2 } } });
        expect(await get(custom)).toMatchObject({ spec: { size: 2 } });
      });
    });

    describe('nodes', () => {
      const node = (index: number) => ({ apiVersion: 'v1', kind: 'Node', name: world.nodes[index]! });

      it('are listed', async () => {
        const list = await read('list', { kubeconfig, apiVersion: 'v1', kind: 'Node' });
        expect(list?.items.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(world.nodes));
      });

      it('are labelled, tainted and cordoned', async () => {
        const before = (await read('get', { kubeconfig, ...node(1) })) as KubeObject & {
          spec?: { taints?: object[] };
        };
        const taints = [
          ...(before.spec?.taints ?? []),
          { key: 'example.com/x', value: 'y', effect: 'PreferNoSchedule' },
        ];
        const { resourceVersion = '' } = before.metadata;
        await effect('patch', {
          kubeconfig,
          ...node(1),
          patch: {
            metadata: { labels: { 'example.com/a': 'b' }, annotations: { 'example.com/c': 'd' } },
            spec: { taints: taints as JsonObject[], unschedulable: true },
          },
          resourceVersion,
        }).catch(async (error: { code: string }) => {
          // Its kubelet may have written meanwhile.
          expect(error.code).toBe('Conflict');
          await effect('patch', {
            kubeconfig,
            ...node(1),
            patch: {
              metadata: { labels: { 'example.com/a': 'b' }, annotations: { 'example.com/c': 'd' } },
              spec: { taints: taints as JsonObject[], unschedulable: true },
            },
          });
        });
        expect(await read('get', { kubeconfig, ...node(1) })).toMatchObject({
          metadata: { labels: { 'example.com/a': 'b' }, annotations: { 'example.com/c': 'd' } },
          spec: {
            unschedulable: true,
            taints: expect.arrayContaining([{ key: 'example.com/x', value: 'y', effect: 'PreferNoSchedule' }]),
          },
        });
        await effect('patch', {
          kubeconfig,
          ...node(1),
          patch: { metadata: { labels: { 'example.com/a': null } }, spec: { unschedulable: null } },
        });
        const after = await read('get', { kubeconfig, ...node(1) });
        expect(after?.metadata.labels).not.toHaveProperty('example.com/a');
        expect(after?.spec).not.toHaveProperty('unschedulable');
      });

      it('reject invalid labels', async () => {
        const patch = { metadata: { labels: { 'example.com/a': 'not a value' } } };
        await expect(effect('patch', { kubeconfig, ...node(1), patch })).rejects.toMatchObject({ code: 'Invalid' });
      });

      it('list their pods', async () => {
        await world.run(podOf('here', world.nodes[0]!));
        const list = await read('list', {
          kubeconfig,
          apiVersion: 'v1',
          kind: 'Pod',
          fieldSelector: `spec.nodeName=${world.nodes[0]}`,
        });
        const places = list?.items.map(({ spec }) => (spec as { nodeName: string }).nodeName);
        expect(list?.items.map(({ metadata }) => metadata.name)).toContain('here');
        expect(new Set(places)).toEqual(new Set([world.nodes[0]]));
      });
    });

    describe('evictions', () => {
      const deletionOf = async (pod: JsonObject) => (await get(pod))?.metadata.deletionTimestamp;

      it('remove a pod', async () => {
        const pod = podOf('free', world.nodes[0]!);
        await world.run(pod);
        await effect('evict', { kubeconfig, namespace: 'default', pod: 'free' });
        await until(async () => (await get(pod)) === undefined || (await deletionOf(pod)) !== undefined);
      });

      it('of a missing pod succeed', async () => {
        await effect('evict', { kubeconfig, namespace: 'default', pod: 'nobody' });
      });

      it('are refused while a disruption budget needs the pod', async () => {
        const pod = podOf('needed', world.nodes[0]!);
        const budget = {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { namespace: 'default', name: 'needed' },
          spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'needed' } } },
        };
        await effect('create', { kubeconfig, object: budget });
        await world.run(pod);
        await world.judged('default', 'needed', 0);
        const refused = effect('evict', { kubeconfig, namespace: 'default', pod: 'needed', gracePeriodSeconds: 5 });
        await expect(refused).rejects.toMatchObject({ name: 'WorkloadError', code: 'TooManyRequests' });
        await expect(refused, 'it is asked again as often as is said').rejects.toMatchObject({ consequence: 'wait' });
        await expect(refused).rejects.toThrow(
          "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget needed needs",
        );
        expect(await deletionOf(pod)).toBeUndefined();
        await effect('delete', { kubeconfig, ...reference(budget) });
        await effect('evict', { kubeconfig, namespace: 'default', pod: 'needed', gracePeriodSeconds: 0 });
        await until(async () => (await get(pod)) === undefined);
      });
    });

    describe('errors', () => {
      const pods = (text: string) => read('list', { kubeconfig: text, apiVersion: 'v1', kind: 'Node' });

      it.each([
        { who: "another cluster's administrator", code: 'Unauthorized', text: () => world.others.otherAdministrator },
        { who: 'a user without a role', code: 'Forbidden', text: () => world.others.powerless },
        { who: 'a client that trusts another authority', code: 'Unreachable', text: () => world.others.distrustful },
        { who: 'a kubeconfig that is none', code: 'InvalidKubeconfig', text: () => 'nonsense: [' },
      ])('$who: $code', async ({ text, code }) => {
        await expect(pods(text())).rejects.toMatchObject({ name: 'WorkloadError', code });
      });

      it('distinguish a user without a role from one who may access etcd', async () => {
        const denied = { ...world.etcd, kubeconfig: world.others.powerless };
        await expect(read('etcd', denied)).rejects.toMatchObject({ name: 'WorkloadError', code: 'Forbidden' });
        await expect(
          read('servingCertificate', { kubeconfig: world.others.powerless, node: world.nodes[0]! }),
        ).rejects.toMatchObject({ code: 'Forbidden' });
      });
    });

    describe('certificates', () => {
      it('of a node are reported with their expiry', async () => {
        const answer = await read('servingCertificate', { kubeconfig, node: world.nodes[2]! });
        expect(answer?.notAfter).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        expect(Date.parse(answer!.notAfter)).toBeGreaterThan(Date.parse('2026-01-01T00:00:00Z'));
        expect(answer!.coversEndpoint).toBe(true);
      });

      it('are absent for a node without an API server', async () => {
        await expect(read('servingCertificate', { kubeconfig, node: 'nowhere' })).rejects.toMatchObject({
          name: 'WorkloadError',
          code: 'NotFound',
        });
      });
    });

    describe('the API server of a node', () => {
      it('reports deprecated APIs that were requested', async () => {
        await read('list', { kubeconfig, apiVersion: 'v1', kind: 'Endpoints' });
        const answer = await read('deprecatedApis', { kubeconfig, node: world.nodes[0]! });
        expect(answer?.apis).toContainEqual({
          group: '',
          version: 'v1',
          resource: 'endpoints',
          removedRelease: '',
        });
      });

      it('serves the same as another one of its version', async () => {
        const [older, newer] = [world.nodes[0]!, world.nodes[1]!];
        expect(await read('unservedObjects', { kubeconfig, older, newer })).toEqual({ kinds: [] });
      });

      it.each(['deprecatedApis', 'unservedObjects'] as const)('refuses %s to a user without a role', async (what) => {
        const [node] = world.nodes as [string];
        const input = { kubeconfig: world.others.powerless, node, older: node, newer: node };
        await expect(read(what, input)).rejects.toMatchObject({ name: 'WorkloadError', code: 'Forbidden' });
      });
    });

    describe('etcd', () => {
      const status = async (access = world.etcd) => (await read('etcd', access))!;
      const idOf = async (node: string) => (await status()).members.find(({ name }) => name === node)!.id;

      it('lists its members and the leader', async () => {
        const { members, leader, alarms } = await status();
        expect(members.map(({ name }) => name).sort()).toEqual([...world.nodes].sort());
        for (const { id, peerURLs, clientURLs, isLearner } of members) {
          expect(id).toMatch(/^[0-9a-f]{1,16}$/);
          expect(peerURLs).toEqual([expect.stringMatching(/^https:/)]);
          expect(clientURLs).toEqual([expect.stringMatching(/^https:/)]);
          expect(isLearner).toBe(false);
        }
        expect(members.map(({ id }) => id)).toContain(leader);
        expect(alarms).toEqual([]);
      });

      it('is reached through the next node where one has no etcd', async () => {
        const nodes = ['nowhere', world.nodes[1]!];
        expect((await status({ ...world.etcd, nodes })).members).toHaveLength(3);
        await expect(status({ ...world.etcd, nodes: ['nowhere'] })).rejects.toMatchObject({ code: 'NotFound' });
        await expect(status({ ...world.etcd, nodes: [] })).rejects.toMatchObject({ code: 'Unreachable' });
      });

      it('trusts only clients of its own authority, and clients trust only its authority', async () => {
        const { caCertificate } = world.etcd;
        await expect(status({ ...world.strangeEtcd, caCertificate })).rejects.toMatchObject({ code: 'Unreachable' });
        const foreign = { ...world.etcd, caCertificate: world.strangeEtcd.caCertificate };
        await expect(status(foreign)).rejects.toMatchObject({ name: 'WorkloadError', code: 'Unreachable' });
      });

      it('moves the leadership to the named member', async () => {
        for (const node of world.nodes) {
          const to = await idOf(node);
          await effect('etcdMoveLeader', { ...world.etcd, to });
          await until(async () => (await status()).leader === to);
        }
        await effect('etcdMoveLeader', { ...world.etcd, to: (await status()).leader! });
        await expect(effect('etcdMoveLeader', { ...world.etcd, to: 'abc' })).rejects.toMatchObject({
          name: 'WorkloadError',
        });
      });

      it('lists its alarms', async () => {
        await world.raiseAlarm();
        expect((await status()).alarms).toEqual([{ memberID: expect.stringMatching(/^[0-9a-f]+$/), type: 'NOSPACE' }]);
      });

      it('removes the named member, idempotently, even if it never existed', async () => {
        const [, , last = ''] = world.nodes;
        const memberID = await idOf(last);
        await effect('etcdRemoveMember', { ...world.etcd, memberID });
        await until(async () => (await status()).members.length === 2);
        expect((await status()).members.map(({ name }) => name)).not.toContain(last);
        await effect('etcdRemoveMember', { ...world.etcd, memberID });
        await effect('etcdRemoveMember', { ...world.etcd, memberID: 'abc' });
        expect((await status()).members).toHaveLength(2);
      });
    });
  });
