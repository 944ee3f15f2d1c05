/**
 * What makes a repeated call to AWS safe: a client token or a name that the caller chooses. After `capstan restore` an
 * installation lives once more from an earlier state, so a key that counted what the store holds would stand for a call
 * of the first life. Keys of attempts are drawn, or contain the time; keys of resources are their owners' uids.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newToken } from '../../kinds/bootstrap-kubeadm/kubeadm-config/token.ts';
import { batchOf } from '../../kinds/infrastructure-aws/aws-machine/batch.ts';
import { drawnToken } from '../../kinds/infrastructure-aws/aws-machine/launch.ts';
import { secretPrefix } from '../../kinds/infrastructure-aws/aws-machine/user-data.ts';
import { clientToken } from '../../kinds/infrastructure-aws/engine/tags.ts';
import { defaultApiPorts } from '../../kinds/infrastructure-aws/network/api-ports.ts';
import { desiredClassic, desiredLoadBalancers } from '../../kinds/infrastructure-aws/network/desired-load-balancer.ts';
import { groupName } from '../../kinds/infrastructure-aws/network/resources/security-groups.ts';
import { nextExecution } from '../../kinds/operations/cluster-operation/execution.ts';
import type { Context } from '../../machinery/api/reconcile.ts';

/** A life of the installation after the stored state was written: once, and again after a restore. */
interface Life {
  now: number;
  drawn: string;
  restoredAt?: string;
}
const lives: [Life, Life] = [
  { now: Date.UTC(2026, 10, 28, 10), drawn: '0123456789abcdef0123456789abcdef' },
  { now: Date.UTC(2026, 10, 28, 12), drawn: 'fedcba9876543210fedcba9876543210', restoredAt: '2026-11-28T11:59:00Z' },
];

const owner = { installation: 'here', clusterUid: 'cluster-uid', clusterName: 'demo', additionalTags: {} };
const ofResource = ({ now }: Life) => clientToken(owner, 'a step', now);
const ofLaunch = ({ drawn }: Life) => drawnToken('the series of a machine', drawn);
const ofSecrets = (life: Life) => secretPrefix(ofLaunch(life), 'secrets-manager');
const ofGroup = () => batchOf({ id: 'drawn', first: 'm', index: 0, count: 6 }, 'machine-uid', () => '').token;
const ofBalancer = () =>
  desiredLoadBalancers({ controlPlaneLoadBalancer: { loadBalancerType: 'nlb' } }, owner, defaultApiPorts)[0]!;
const ofClassic = () => desiredClassic({}, owner, defaultApiPorts)!;
const ofOperation = ({ restoredAt }: Life) =>
  nextExecution({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ClusterOperation',
    metadata: {
      name: 'demo-create-1',
      uid: 'operation-uid',
      ...(restoredAt && { annotations: { 'capstan.dev/restored-at': restoredAt } }),
    },
    status: { execution: 'operation-uid-1' },
  });

/** `new`: another call has another key. `same`: the key is that of the one resource which an owner has. */
type Row = { key: string; from: string; is: 'new' | 'same'; of: (life: Life) => string };
const keyed: Record<string, Row[]> = {
  RunInstances: [
    {
      key: 'ClientToken of a machine',
      from: 'the machine’s series, and a draw for each attempt',
      is: 'new',
      of: ofLaunch,
    },
    {
      key: 'ClientToken of a group',
      from: 'the group’s drawn id, and the first machine’s uid',
      is: 'same',
      of: ofGroup,
    },
    {
      key: 'ClientToken of a bastion',
      from: 'cluster uid, step, and time of the announcement',
      is: 'new',
      of: ofResource,
    },
  ],
  CreateNatGateway: [
    { key: 'ClientToken', from: 'cluster uid, step, and time of the announcement', is: 'new', of: ofResource },
  ],
  CreateRouteTable: [
    { key: 'ClientToken', from: 'cluster uid, step, and time of the announcement', is: 'new', of: ofResource },
  ],
  CreateCarrierGateway: [
    { key: 'ClientToken', from: 'cluster uid, step, and time of the announcement', is: 'new', of: ofResource },
  ],
  CreateEgressOnlyInternetGateway: [
    { key: 'ClientToken', from: 'cluster uid, step, and time of the announcement', is: 'new', of: ofResource },
  ],
  CreateVpcEndpoint: [
    { key: 'ClientToken', from: 'cluster uid, step, and time of the announcement', is: 'new', of: ofResource },
  ],
  CreateSecret: [{ key: 'Name and ClientRequestToken', from: 'the launch’s token', is: 'new', of: ofSecrets }],
  PutParameter: [{ key: 'Name', from: 'the launch’s token; the mark has one name', is: 'new', of: ofSecrets }],
  CreateLoadBalancer: [
    { key: 'Name', from: 'cluster uid', is: 'same', of: () => ofBalancer().name },
    { key: 'Name of a classic one', from: 'cluster uid', is: 'same', of: () => ofClassic().name },
  ],
  CreateTargetGroup: [
    { key: 'Name', from: 'cluster uid and port', is: 'same', of: () => ofBalancer().ports[0]!.targetGroupName },
  ],
  CreateSecurityGroup: [
    {
      key: 'GroupName',
      from: 'cluster and role, in one VPC',
      is: 'same',
      of: () => groupName({ owner, cloudState: {} } as never, 'node'),
    },
  ],
  StartExecution: [{ key: 'name', from: 'operation uid, count, and time of the restore', is: 'new', of: ofOperation }],
  Workload: [
    {
      key: 'name of a bootstrap token',
      from: 'a draw',
      is: 'new',
      of: ({ drawn }) => newToken({ random: { token: () => drawn } } as unknown as Context),
    },
  ],
};

/** Calls without a key of the caller, or with one that no restore takes back. */
const others: Record<string, string> = {
  CreateVpc: 'no key; found by its tags before a second call',
  CreateSubnet: 'no key; two of a range cannot exist',
  CreateInternetGateway: 'no key; found by its tags before a second call',
  AllocateAddress: 'no key; found by its tags before a second call',
  CreateCluster: 'clientRequestToken of the cluster’s uid, and its name in EKS is recorded',
  CreateNodegroup: 'clientRequestToken of the input and of the uids of cluster and pool; its name in EKS is recorded',
  CreateAddon: 'no key; two of a name cannot exist',
  CreateRole: 'no key; two of a name cannot exist',
  CreateAccessEntry: 'no key; two of a principal cannot exist',
  CreateSnapshot: 'no key; found by its tags before a second call, and EBS takes one a volume in 15 seconds',
  CreateRoute: 'no key; two of a destination cannot exist',
  CreateListener: 'no key; two of a port cannot exist',
  CreateLoadBalancerListeners: 'no key; two of a port cannot exist',
  CreateLaunchTemplate: 'no key; two of a name cannot exist',
  CreateLaunchTemplateVersion: 'no key; a second version of the same content changes nothing',
  PutSecretValue: 'ClientRequestToken of the content',
  CreateAutoScalingGroup: 'no key; two of a name cannot exist',
  PutLifecycleHook: 'repeated without effect',
  CreateOrUpdateTags: 'repeated without effect',
  StartInstanceRefresh: 'no key; a group has one at a time',
  RegisterTargets: 'repeated without effect',
  RegisterInstancesWithLoadBalancer: 'repeated without effect',
  CreateTags: 'repeated without effect',
  PutItem: 'conditions on the stored item',
  TransactWriteItems: 'ClientRequestToken is drawn for each transaction',
  PutObject:
    'key of cluster uid, start, revision and snapshot uid; a decision has one of ten places, and readers compare its hash',
  CreateMultipartUpload: 'key of cluster uid, start, revision and snapshot uid',
  CreateLogStream: 'name of the process',
  PutLogEvents: 'no key',
  SendMessageBatch: 'standard queues have no deduplication; an entry’s id counts within its request',
  SendTaskSuccess: 'the token of the task',
  SendTaskFailure: 'the token of the task',
};

const root = join(import.meta.dirname, '../..');
const commands = readdirSync(join(root, 'adapters/aws'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .flatMap((file) => [
    ...readFileSync(join(root, 'adapters/aws', file), 'utf8').matchAll(
      /new ((?:Allocate|Create|Import|Publish|Put|Register|Request|Run|Send|Start|Transact)\w*)Command\(/g,
    ),
  ])
  .map(([, name]) => name!);

describe('a call that creates something', () => {
  it('is listed with what makes its repetition safe', () => {
    const listed = [...Object.keys(keyed), ...Object.keys(others)].filter((name) => name !== 'Workload');
    expect([...new Set(commands)].sort()).toEqual(listed.sort());
  });

  it.each(
    Object.entries(keyed).flatMap(([call, rows]) => rows.map((row) => ({ call, ...row }))),
  )('has a key that no restore takes back: $call, $key, from $from', ({ is, of }) => {
    const [first, second] = lives.map(of);
    if (is === 'new') expect(second).not.toBe(first);
    else expect(second).toBe(first);
  });
});
