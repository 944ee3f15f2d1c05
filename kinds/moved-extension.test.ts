import { expect, it } from 'vitest';
import { ApiError } from '../machinery/api/errors.ts';
import { resourceOf } from '../machinery/api/kind.ts';
import type { KubeObject, ObjectMeta } from '../machinery/api/object.ts';
import { kinds } from './index.ts';
import { movedExtension } from './moved-extension.ts';

const make = (kind: string, name: string, spec: object = {}, metadata: Partial<ObjectMeta> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { namespace: 'default', name, uid: `${kind}-${name}`, ...metadata },
  spec,
});
const annotated = (object: KubeObject, annotations: Record<string, string>): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations },
});
const namespace = make('Namespace', 'default');
const cluster = make('Cluster', 'demo', {
  controlPlaneRef: { kind: 'KubeadmControlPlane', name: 'demo' },
  infrastructureRef: { kind: 'AWSCluster', name: 'demo' },
});
const controlPlane = make('KubeadmControlPlane', 'demo');
const vpcOf = (tags?: Record<string, string>) => ({
  controlPlaneEndpoint: { host: 'lb.example.com', port: 6443 },
  network: { vpc: { id: 'vpc-1', ...(tags && { tags }) }, subnets: [{ id: 'made', resourceID: 'subnet-1' }] },
});
const theirs = make('AWSCluster', 'demo', vpcOf({ 'capstan.dev/cluster-uid': 'theirs' }));
const labels = { 'cluster.x-k8s.io/cluster-name': 'demo' };
const machine = (name: string) => make('AWSMachine', name, { providerID: `aws:///a/i-${name}` }, { labels });

const kindOf = (object: KubeObject) => kinds.find(({ kind, group }) => kind === object.kind && group !== 'events')!;
const refusal = async (object: KubeObject, objects: readonly KubeObject[]): Promise<string> => {
  const list = async (type: string) => ({ objects: objects.filter((one) => resourceOf(kindOf(one)) === type) });
  try {
    await movedExtension({ list }, kinds)[resourceOf(kindOf(object))]?.admitDelete(undefined, object);
    return '';
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return error.message;
    throw error;
  }
};

const stays = [
  'VPC vpc-1',
  'load balancer lb.example.com',
  'EC2 instance i-a',
  'EC2 instance i-b',
  'EC2 instance i-c and 1 more',
].join(', ');
const why = `Cluster demo was made by another owner and not taken over, so that ${stays} would go on running: let them carry its tags first, or to delete only the objects, run: kubectl annotate cluster/demo capstan.dev/leave-resources=true -n default`;
const machines = ['a', 'b', 'c'].map(machine);

it.each([
  { rule: 'the Cluster', object: cluster },
  { rule: 'its control plane', object: controlPlane },
  { rule: 'its AWSCluster', object: theirs },
  { rule: 'its namespace', object: namespace },
])('a cluster that was not taken over keeps $rule', async ({ object }) =>
  expect(await refusal(object, [cluster, controlPlane, theirs, ...machines])).toContain(why));

it('counts instances, also in a VPC of the user', async () => {
  const inOwn = make('AWSCluster', 'demo', vpcOf());
  expect(await refusal(cluster, [cluster, inOwn, machine('a')])).toContain('EC2 instance i-a');
});

it.each([
  { rule: 'a user leaves its resources', cluster: annotated(cluster, { 'capstan.dev/leave-resources': 'true' }) },
  {
    rule: 'clusterctl moves it on',
    cluster: annotated(cluster, { 'clusterctl.cluster.x-k8s.io/delete-for-move': '' }),
  },
  {
    rule: 'it was taken over',
    infrastructure: annotated(theirs, { 'capstan.dev/cluster-uid': 'Cluster-demo/AWSCluster-demo' }),
  },
  {
    rule: 'its VPC is its own',
    infrastructure: make('AWSCluster', 'demo', vpcOf({ 'capstan.dev/cluster-uid': 'Cluster-demo' })),
    machines: [],
  },
  {
    rule: 'it is built in a VPC of the user',
    infrastructure: make('AWSCluster', 'demo', vpcOf({ Name: 'own' })),
    machines: [],
  },
  { rule: 'its AWSCluster is gone', infrastructure: make('AWSCluster', 'other') },
])('a cluster is deleted if $rule', async ({
  cluster: it = cluster,
  infrastructure = theirs,
  machines: of = machines,
}) => expect(await refusal(it, [it, infrastructure, ...of])).toBe(''));
