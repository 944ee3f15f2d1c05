import { describe, expect, it } from 'vitest';
import { observed } from '../../kinds/autoscaling/scaling-plan/observed.fixture.ts';
import type { Workload } from '../../kinds/ports/workload.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { clientOf } from '../client.fixture.ts';
import { readObserved } from './read.ts';

const given = observed({ machines: ['a'] });
const [pool] = given.pools!;
const core = '/apis/cluster.x-k8s.io/v1beta2/namespaces/default';
const infrastructure = '/apis/infrastructure.cluster.x-k8s.io';
const deployment = {
  ...pool!.deployment,
  spec: {
    ...pool!.deployment.spec!,
    template: {
      spec: {
        ...pool!.deployment.spec!.template.spec,
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSMachineTemplate', name: 't' },
      },
    },
  },
};
const waiting = {
  ...given.machines[0]!,
  metadata: { ...given.machines[0]!.metadata, name: 'waiting' },
  spec: { infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSMachine', name: 'host' } },
} as unknown as KubeObject;
const host = { apiVersion: 'v1', kind: 'AWSMachine', metadata: { name: 'host' } };
/** Items of lists have no kind. */
const listed = (...objects: KubeObject[]) => ({ items: objects.map(({ kind: _, ...object }) => object) });
const everything: Record<string, object> = {
  [`${core}/clusters/c`]: given.cluster!,
  '/apis/capstan.dev/v1alpha1/namespaces/default/scalingplans/c': given.plan,
  [`${core}/machinedeployments`]: listed(deployment, { ...deployment, metadata: { name: 'other' } } as KubeObject),
  [`${core}/machinesets`]: listed(...pool!.machineSets),
  [`${core}/machines`]: listed(...given.machines, waiting),
  [`${infrastructure}/v1beta2/namespaces/default/awsmachines/host`]: host,
  [infrastructure]: { preferredVersion: { version: 'v1beta2' } },
  [`${infrastructure}/v1beta2/namespaces/default/awsmachinetemplates/t`]: pool!.infrastructure!,
  '/api/v1/namespaces/default/secrets/c-kubeconfig': { data: { value: 'Y29uZmln' } },
};
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default' }, spec: {} };
const workload = {
  read: async (operation: string, { kind }: { kind: string }) =>
    operation === 'list' ? { items: kind === 'Pod' ? [pod] : [] } : undefined,
} as unknown as Workload;
const read = (served = everything) =>
  readObserved(
    clientOf(async ({ url }) => {
      const body = served[new URL(url).pathname];
      return body ? Response.json(body) : Response.json({ message: 'not found' }, { status: 404 });
    }),
    'c',
    'default',
    workload,
  );
const without = (...paths: string[]) =>
  Object.fromEntries(Object.entries(everything).filter(([path]) => !paths.some((part) => path.includes(part))));

describe('reads', () => {
  it('what the autoscaler observes', async () => {
    const { pools, machines, workload: cluster } = await read();
    expect(pools).toEqual([
      {
        deployment,
        machineSets: pool!.machineSets,
        machines,
        infrastructure: pool!.infrastructure,
        hostless: { waiting: host },
      },
    ]);
    expect(machines).toEqual([...given.machines, waiting]);
    expect(cluster).toMatchObject({
      kubeconfig: 'config',
      pods: [{ name: 'p' }],
      traces: { lease: { state: 'absent' } },
    });
  });
  it('a pool whose infrastructure template is gone', async () =>
    expect((await read(without('awsmachinetemplates'))).pools).toMatchObject([{ infrastructure: undefined }]));
  it.each([
    { rule: 'the cluster does not exist', gone: 'clusters/c', says: 'cluster.cluster.x-k8s.io "c" not found' },
    { rule: 'no pool opted in', gone: 'scalingplans', says: 'no pool of cluster c opted in' },
    { rule: 'the cluster has no kubeconfig', gone: 'kubeconfig', says: 'has no kubeconfig yet' },
  ])('fails if $rule', async ({ gone, says }) => expect(read(without(gone))).rejects.toThrow(says));
});
