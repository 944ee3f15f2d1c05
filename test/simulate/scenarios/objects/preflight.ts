/** Clusters with one mistake, which preflight must refuse before any paid call. */
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import type { CloudAction } from '../../../../kinds/ports/cloud/index.ts';
import { mergePatch } from '../../../../machinery/api/merge.ts';
import type { JsonValue, KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { pathOf } from '../../clients/client.ts';
import { Violation } from '../../invariants/rule.ts';
import { type DesiredCluster, manifestOf, modest } from '../manifest.ts';
import type { Session } from './session.ts';

const minute = 60_000;
/** The time until the refusal without faults. */
const promptly = 10 * minute;
/** Preflight repeats failed lookups until the deadline of the creation. */
const timeout = 8 * 60 * minute;
/** The number of clusters in each run of the task. */
const several = 2;

type Part = 'Cluster' | 'AWSCluster' | 'KubeadmControlPlane' | 'MachineDeployment' | 'workers';
/** A part, the mistake in it, and the beginning of each refusal message. */
type Wrong = readonly [part: Part, spec: object, ...refusals: string[]];

const ofTemplate = (spec: object) => ({ template: { spec } });
const network = (one: object) => ({ network: one });
const cluster = 'AWSCluster default/NAME spec.';
const template = 'AWSMachineTemplate default/NAME-t3.large spec.template.spec.';
const own = { id: 'own', cidrBlock: '10.0.1.0/24', availabilityZone: 'eu-central-1a' };
const open = { ...own, id: 'open', cidrBlock: '10.0.2.0/24', isPublic: true };

const wrongs: readonly Wrong[] = [
  ['AWSCluster', { region: 'mars-north-1' }, `${cluster}region: AWS has no region mars-north-1`],
  [
    'AWSCluster',
    network({ vpc: { id: 'vpc-0bad' }, subnets: [{ id: 'subnet-0bad0bad' }] }),
    `${cluster}network.vpc.id: VPC vpc-0bad does not exist`,
    `${cluster}network.subnets[0].id: subnet subnet-0bad0bad does not exist`,
  ],
  [
    'AWSCluster',
    network({ subnets: [own, { id: 'subnet-0bad0bad' }, open] }),
    `${cluster}network.subnets[1].id: subnet-0bad0bad is in a VPC of your own`,
  ],
  [
    'AWSCluster',
    network({
      subnets: [
        { ...own, availabilityZone: 'eu-central-1x' },
        { ...open, availabilityZone: 'eu-central-1x' },
      ],
    }),
    `${cluster}network.subnets[0].availabilityZone: eu-central-1 has no zone eu-central-1x`,
    `${cluster}network.subnets[1].availabilityZone: eu-central-1 has no zone eu-central-1x`,
    `AWSMachineTemplate default/NAME-control-plane spec.template.spec.instanceType: t3.large is not offered in eu-central-1x`,
    `${template}instanceType: t3.large is not offered in eu-central-1x`,
  ],
  [
    'AWSCluster',
    network({ subnets: [own, { ...own, id: 'other' }, open] }),
    `${cluster}network.subnets[1].cidrBlock: 10.0.1.0/24 overlaps 10.0.1.0/24`,
  ],
  [
    'AWSCluster',
    network({ subnets: [own, { ...own, id: 'other', cidrBlock: '10.0.1.128/25' }, open] }),
    `${cluster}network.subnets[1].cidrBlock: 10.0.1.128/25 overlaps 10.0.1.0/24`,
  ],
  [
    'AWSCluster',
    network({ vpc: { cidrBlock: '10.0.0.0/20' }, subnets: [{ ...own, cidrBlock: '10.0.0.0/19' }] }),
    `${cluster}network.subnets[0].cidrBlock: 10.0.0.0/19 is not within the VPC`,
    `${cluster}network.subnets: none is public`,
  ],
  [
    'AWSCluster',
    network({ subnets: [{ ...own, cidrBlock: '10.9.0.0/24' }, open] }),
    `${cluster}network.subnets[0].cidrBlock: 10.9.0.0/24 is not within the VPC`,
  ],
  [
    'AWSCluster',
    network({ securityGroupOverrides: { node: 'sg-0bad' } }),
    `${cluster}network.securityGroupOverrides.node: security group sg-0bad does not exist`,
  ],
  [
    'AWSCluster',
    { controlPlaneLoadBalancer: { subnets: ['subnet-0bad0bad'] } },
    `${cluster}controlPlaneLoadBalancer.subnets[0]: subnet subnet-0bad0bad does not exist`,
  ],
  [
    'AWSCluster',
    { controlPlaneLoadBalancer: { additionalSecurityGroups: ['sg-0bad'] } },
    `${cluster}controlPlaneLoadBalancer.additionalSecurityGroups[0]: security group sg-0bad does not exist`,
  ],
  [
    'AWSCluster',
    { secondaryControlPlaneLoadBalancer: { name: 'second', additionalSecurityGroups: ['sg-0bad'] } },
    `${cluster}secondaryControlPlaneLoadBalancer.additionalSecurityGroups[0]: security group sg-0bad does not exist`,
  ],
  [
    'AWSCluster',
    { bastion: { enabled: true, ami: 'ami-0bad', instanceType: 't3.large' } },
    `${cluster}bastion.ami: image ami-0bad does not exist`,
  ],
  [
    'AWSCluster',
    { identityRef: { kind: 'AWSClusterControllerIdentity', name: 'missing' } },
    'AWSCluster default/NAME: AWSClusterControllerIdentity missing does not exist',
  ],
  [
    'Cluster',
    { clusterNetwork: { pods: { cidrBlocks: ['10.0.128.0/17'] } } },
    'Cluster default/NAME spec.clusterNetwork.pods.cidrBlocks: the pods’ addresses 10.0.128.0/17 overlap the VPC',
  ],
  [
    'Cluster',
    { clusterNetwork: { services: { cidrBlocks: ['192.168.0.0/17'] } } },
    'Cluster default/NAME spec.clusterNetwork.pods.cidrBlocks: the pods’ addresses 192.168.0.0/16 overlap the services',
  ],
  [
    'Cluster',
    { clusterNetwork: { services: { cidrBlocks: ['10.0.128.0/20'] } } },
    'Cluster default/NAME spec.clusterNetwork.services.cidrBlocks: the services’ addresses 10.0.128.0/20 overlap the VPC',
  ],
  [
    'workers',
    ofTemplate({ instanceType: 'x9.imagined' }),
    `${template}instanceType: instance type x9.imagined does not`,
  ],
  ['workers', ofTemplate({ ami: { id: 'ami-0bad' } }), `${template}ami.id: image ami-0bad does not exist`],
  [
    'workers',
    ofTemplate({ subnet: { id: 'none-of-them' } }),
    `${template}subnet.id: none-of-them is none of spec.network.subnets`,
  ],
  [
    'workers',
    ofTemplate({ ami: { id: null }, imageLookupOrg: '000000000000' }),
    'AWSMachineTemplate default/NAME-t3.large spec.template.spec: ',
  ],
  [
    'workers',
    ofTemplate({ iamInstanceProfile: 'missing' }),
    `${template}iamInstanceProfile: instance profile missing does not exist`,
  ],
  [
    'workers',
    ofTemplate({ subnet: { id: 'subnet-0bad0bad' } }),
    `${template}subnet.id: subnet subnet-0bad0bad does not exist`,
  ],
  [
    'workers',
    ofTemplate({ additionalSecurityGroups: [{ id: 'sg-0bad' }] }),
    `${template}additionalSecurityGroups[0].id: security group sg-0bad does not exist`,
  ],
  [
    'MachineDeployment',
    ofTemplate({ failureDomain: 'eu-central-1x' }),
    'MachineDeployment default/NAME-workers spec.template.spec.failureDomain: there is no private subnet in eu-central-1x',
    `${template}instanceType: t3.large is not offered in eu-central-1x`,
  ],
  [
    'MachineDeployment',
    ofTemplate({ version: 'v1.36.0' }),
    'MachineDeployment default/NAME-workers spec.template.spec.version: v1.36.0 is newer than v1.35.0',
  ],
  [
    'KubeadmControlPlane',
    { version: 'v1.21.0' },
    'KubeadmControlPlane default/NAME-control-plane spec.version: kubeadm of v1.21.0 is not supported',
    'MachineDeployment default/NAME-workers spec.template.spec.version: v1.35.0 is newer than v1.21.0',
    'AWSMachineTemplate default/NAME-control-plane spec.template.spec: ',
  ],
];

const partOf = ({ kind, metadata }: KubeObject): string =>
  kind === 'AWSMachineTemplate' && metadata.name.endsWith('-t3.large') ? 'workers' : kind;
const described =
  /^(Cluster|AWSCluster|KubeadmControlPlane|MachineDeployment|AWSMachineTemplate|KubeadmConfigTemplate)$/;

const documentsOf = (name: string, onFailure: DesiredCluster['onFailure'], [part, spec]: Wrong): KubeObject[] =>
  manifestOf({ ...modest, name, onFailure, paused: false })
    .filter(({ kind }) => described.test(kind))
    .map((object) =>
      partOf(object) === part
        ? (mergePatch(object as unknown as JsonValue, { spec } as unknown as JsonValue) as unknown as KubeObject)
        : object,
    );

/** The calls of preflight, each of which may fail. */
const asked: readonly CloudAction[] = [
  'DescribeSecurityGroups',
  'DescribeSubnets',
  'DescribeVpcs',
  'DescribeLoadBalancers',
  'DescribeInstanceTypes',
  'DescribeInstanceTypeOfferings',
  'DescribeImages',
  'GetInstanceProfile',
];
/** Lets one of these calls fail for a while; preflight cannot pass meanwhile. */
const darken = async ({ clock, draw, world }: Session) => {
  const { faults } = world.account;
  const { id } = faults.add({ action: draw.pick(asked), code: 'InternalError' });
  await sleep(clock, draw.spread(minute, 5 * minute));
  faults.clear(id);
};

const ask = async (session: Session, wrong: Wrong) => {
  const { client, clock, draw, world, expect } = session;
  const name = session.newName();
  const [, , ...refusals] = wrong;
  const status = () =>
    world.mirror.all<ClusterOperation>('ClusterOperation').find(({ spec }) => spec?.clusterName === name)?.status;
  const preflight = () => status()?.steps?.find((step) => step.name === 'Preflight');
  const isDecided = () => (preflight()?.verdict ?? 'Running') !== 'Running';
  const isOver = () => !['Pending', 'Running', 'Paused'].includes(status()?.phase ?? 'Pending');
  // Applies the Cluster last, because preflight cannot check missing objects.
  for (const document of documentsOf(name, draw.pick(['TearDown', 'Hold']), wrong).toReversed()) {
    const { code, body } = await client.apply(document);
    if (code >= 300) throw new Error(`an impossible cluster must be accepted by the API: ${body.message}`);
  }
  const began = clock.now();
  const isDark = draw.chance(0.4);
  if (isDark) await darken(session);
  while (!isDecided() && !isOver()) {
    if (clock.now() - began > (world.isDisturbed ? timeout : promptly))
      throw new Violation('preflight', `${refusals.join(' and ')} is missing for ${name}: ${preflight()?.message}`);
    await sleep(clock, minute / 4);
  }
  const { verdict, message = '' } = preflight() ?? {};
  // Preflight decides nothing when its time ran out or it was cancelled.
  const hasDecided = isDecided() && verdict !== 'DeadlineExceeded';
  if (hasDecided || !world.isDisturbed) {
    expect(`the verdict of preflight on ${name} with ${refusals.join(' and ')}`, verdict, 'Refused');
    const refusalsShown = message.split('; ');
    const wanted = refusals.map((one) => one.replaceAll('NAME', name));
    // A certain mistake is reported without the checks that failed.
    const isWhole = world.isDisturbed || isDark || refusalsShown.length === wanted.length;
    const isExpected = isWhole && refusalsShown.every((one) => wanted.some((start) => one.startsWith(start)));
    if (!isExpected) throw new Violation('preflight', `of ${name}: ${message}, not ${refusals.join('; ')}`);
  }
  await session.ask('DELETE', `${pathOf('Cluster')}/${name}`, 200);
  // An unused template has no owner and remains.
  const isOfIt = ({ kind, metadata }: KubeObject) =>
    described.test(kind) &&
    !kind.endsWith('Template') &&
    (metadata.name === name || metadata.name.startsWith(`${name}-`));
  await session.eventually(`the end of ${name}`, () => !world.mirror.everything().some(isOfIt));
  // A frozen server may still create an object that was requested before.
  world.mirror.onCommit(({ event, object }) => {
    if (event !== 'ADDED' || !object || !isOfIt(object)) return;
    client.remove(object.kind, object.metadata.name).catch(world.mirror.breaks);
  });
};

/** Identities that allow this cluster and no other. */
const ways: readonly object[] = [
  { list: ['default'] },
  { list: ['default', 'nowhere'] },
  { selector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } },
  { list: ['default'], selector: { matchLabels: { 'example.com/may': 'ask' } } },
  { list: ['default'], selector: {} },
];

/** Access to a namespace does not include the AWS identities that other namespaces may use. */
const askElsewhere = async (session: Session) => {
  const { clock, draw, expect, newName, world } = session;
  const identity = `${pathOf('AWSClusterControllerIdentity')}/default`;
  const allowedNamespaces = { list: null, selector: null, ...draw.pick(ways) };
  await session.ask('PATCH', identity, 200, { spec: { allowedNamespaces } });
  const [namespace, name] = [newName(), newName()];
  const place = pathOf('Namespace');
  await session.ask('POST', place, 201, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  for (const document of documentsOf(name, 'Hold', ['Cluster', {}]).toReversed()) {
    const metadata = { ...document.metadata, namespace };
    await session.ask('POST', pathOf(document.kind, document.apiVersion, namespace), 201, { ...document, metadata });
  }
  const preflight = () =>
    world.mirror
      .all<ClusterOperation>('ClusterOperation')
      .find(({ metadata, spec }) => metadata.namespace === namespace && spec?.clusterName === name)
      ?.status?.steps?.find((step) => step.name === 'Preflight');
  const limit = clock.now() + (world.isDisturbed ? timeout : promptly);
  while ((preflight()?.verdict ?? 'Running') === 'Running' && clock.now() < limit) await sleep(clock, minute / 4);
  const { verdict, message = '' } = preflight() ?? {};
  const isRefused = verdict === 'Refused' && message.includes(`Namespace ${namespace} may not use`);
  if (verdict === 'Succeeded' || !world.isDisturbed)
    expect(`whether ${namespace} may not use an identity for ${JSON.stringify(allowedNamespaces)}`, isRefused, true);
  await session.ask('DELETE', `${place}/${namespace}`, 200);
  await session.eventually(`the end of namespace ${namespace}`, () => !world.mirror.get('Namespace', '', namespace));
};

export const refusals = {
  'use an identity without permission': askElsewhere,
  'create an impossible cluster': async (session: Session) => {
    for (let times = 0; times < several; times++) await ask(session, session.draw.pick(wrongs));
  },
};
