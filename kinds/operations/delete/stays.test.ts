import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { launchAnnotation } from '../../core/contract/launch.ts';
import { clusterUidTag } from '../../infrastructure-aws/engine/tags.ts';
import { awsInfrastructure } from '../../infrastructure-aws/provider.ts';
import { clusterOf, objectOf, clusterStateOf as stateOf } from '../cluster-operation/operation.fixture.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import type { ClusterState } from '../shared/cluster-state.ts';
import type { Ended } from '../shared/definition.ts';
import { messages } from './messages.ts';
import { withSnapshots, withStays } from './stays.ts';

const scope = { cluster: clusterOf() } as Ended;
const cluster = { kind: 'Cluster', metadata: { name: 'demo', uid: 'uid' } };
const awsMachine = (id: string, message: string, annotations = {}): KubeObject => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachine',
  metadata: { name: id, uid: id, annotations },
  spec: { providerID: `aws:///a/${id}` },
  status: { conditions: [{ type: 'InstanceReady', status: 'False', message }] },
});
const staysMessage = (id: string) => `Instance ${id} does not carry the tags a: it stays as it is`;
const awsCluster = (vpc: object) => ({
  state: 'found',
  value: { kind: 'AWSCluster', metadata: { name: 'demo' }, spec: { network: { vpc } } },
});
const clusterStateOf = (infraMachines: KubeObject[], vpc: object): ClusterState =>
  ({ cluster, infraMachines, infrastructure: awsCluster(vpc), provider: awsInfrastructure }) as unknown as ClusterState;
const own = { id: 'vpc-1', tags: { [clusterUidTag]: 'uid' } };
const launched = { [launchAnnotation]: JSON.stringify({ machine: 'i-1' }) };

it.each<{ rule: string; machines: KubeObject[]; vpc: object; stays?: string[] }>([
  { rule: 'only its own resources', machines: [awsMachine('i-1', '', launched)], vpc: own },
  { rule: 'no resources', machines: [], vpc: {} },
  { rule: 'an adopted instance', machines: [awsMachine('i-1', '')], vpc: own },
  {
    rule: 'instances of another installation',
    machines: [awsMachine('i-2', staysMessage('i-2')), awsMachine('i-1', staysMessage('i-1'))],
    vpc: own,
    stays: ['EC2 instance i-1', 'EC2 instance i-2'],
  },
  {
    rule: 'a VPC of the user',
    machines: [],
    vpc: { id: 'vpc-2', tags: {} },
    stays: ['VPC vpc-2, whose subnets keep the tag kubernetes.io/cluster/demo'],
  },
])('records the remaining resources of a cluster with $rule', ({ machines, vpc, stays }) => {
  const status = withStays({} as OperationStatus, clusterStateOf(machines, vpc));
  expect(status.stays).toEqual(stays);
  // By the end, the objects that named these resources are gone.
  const after = withStays(status, clusterStateOf([], {}));
  expect(after.stays).toEqual(stays);
  const message = messages.succeeded(after, scope);
  if (stays)
    expect(message).toBe(
      `Nothing that was made for the cluster is left; what does not carry its tags stays as it is: ${stays.join(', ')}`,
    );
  else expect(message).toBe('Nothing is left of the cluster');
});

describe('snapshots', () => {
  const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'demo', uid: 'uid-of-demo' };
  const owned = (name: string) => objectOf('EtcdSnapshot', name, { metadata: { ownerReferences: [owner] } });
  const noted = (...snapshots: KubeObject[]) =>
    withSnapshots({ snapshots: ['former'] }, stateOf(clusterOf(), { snapshots }));
  it('that go with the Cluster are not said to be gone before it', () => {
    const status = noted(owned('b'), owned('a'), objectOf('EtcdSnapshot', 'final'));
    expect(messages.succeeded(status, scope)).toBe(
      'Nothing is left of the cluster but EtcdSnapshots, which are deleted with their files now: a, b; the condition Deleting of one that stays says why',
    );
  });
  it('that are gone before it are not named', () =>
    expect(messages.succeeded(noted(), scope)).toBe('Nothing is left of the cluster'));
});
