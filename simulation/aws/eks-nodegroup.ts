/**
 * Node groups of EKS: instances that a check like an Auto Scaling group's keeps at the desired number, and
 * replaces one after the other when they get another version.
 */
import { createHash } from 'node:crypto';
import type { CloudInput, EksIssue, EksNodegroup, EksNodegroupStatus } from '../../kinds/ports/cloud/index.ts';
import { CloudError } from '../../kinds/ports/cloud/index.ts';
import { type CollectionOf, type Stored, tagIndex } from './collection.ts';
import { admitNodes } from './eks-access-entry.ts';
import { type EksClusterRecord, eksClusterNamed, eksStatusOf } from './eks-cluster.ts';
import { refuse } from './errors.ts';
import { hasKeyPair, noSuchKeyPair } from './identity.ts';
import { type InstanceRecord, instanceState } from './instance.ts';
import { instanceType } from './instance-type.ts';
import { launchActions } from './launch.ts';
import { endInstance } from './lifecycle.ts';
import { newHex } from './naming.ts';
import { hasRole } from './role.ts';
import { type AccountState, type Call, type Handlers, scaled } from './state.ts';
import { tagList } from './tags.ts';

type Creation = CloudInput<'CreateNodegroup'>;

export interface EksNodegroupRecord extends Stored {
  name: string;
  /** Id of its cluster. */
  cluster: string;
  input: Creation;
  version: string;
  releaseVersion: string;
  phase: 'CREATING' | 'SETTLED' | 'UPDATING' | 'CREATE_FAILED' | 'DELETING';
  /** When the phase began. */
  since: number;
  /** Why instances cannot be launched. */
  issue?: EksIssue;
  /** How many were launched, for client tokens. */
  launched: number;
}

export const eksNodegroups: CollectionOf<EksNodegroupRecord> = {
  name: 'eks-nodegroups',
  indexes: { cluster: ({ cluster }) => [cluster] },
  type: 'nodegroup',
};

const nameTag = 'eks:nodegroup-name';
const clusterTag = 'eks:cluster-name';

const minorOf = (version: string): number => Number(/^1\.(\d+)$/.exec(version)?.[1]);

const statusOf = ({ phase, issue }: EksNodegroupRecord): EksNodegroupStatus =>
  phase === 'SETTLED' ? (issue ? 'DEGRADED' : 'ACTIVE') : phase;

const view = (group: EksNodegroupRecord): EksNodegroup => {
  const { input, issue } = group;
  return {
    nodegroupName: group.name,
    clusterName: input.clusterName,
    status: statusOf(group),
    version: group.version,
    releaseVersion: group.releaseVersion,
    scalingConfig: input.scalingConfig,
    instanceTypes: input.instanceTypes ?? ['t3.medium'],
    subnets: input.subnets,
    amiType: input.amiType ?? 'AL2023_x86_64_STANDARD',
    nodeRole: input.nodeRole,
    capacityType: input.capacityType ?? 'ON_DEMAND',
    labels: input.labels ?? {},
    taints: input.taints ?? [],
    updateConfig: input.updateConfig ?? { maxUnavailable: 1 },
    nodeRepairConfig: input.nodeRepairConfig ?? { enabled: false },
    tags: { ...group.tags },
    health: { issues: issue ? [issue] : [] },
  };
};

/** The image that EKS publishes for a release of nodes. */
const imageOf = (
  account: AccountState,
  { region, releaseVersion, input: { amiType = 'AL2023_x86_64_STANDARD' } }: EksNodegroupRecord,
): string => {
  const architecture = amiType.includes('ARM') ? 'arm64' : 'x86_64';
  const [version, date] = releaseVersion.split('-');
  const name = `amazon-eks-node-al2023-${architecture}-standard-${version}-v${date}`;
  const id = `ami-${createHash('sha256').update(`${region}/${name}`).digest('hex').slice(0, 17)}`;
  if (!account.images.get(id))
    account.images.put({
      id,
      region,
      seq: account.nextSeq(),
      created: account.clock.now(),
      tags: {},
      name,
      owner: '602401143452',
      architecture,
      size: 20,
    });
  return id;
};

const effects = { NO_SCHEDULE: 'NoSchedule', NO_EXECUTE: 'NoExecute', PREFER_NO_SCHEDULE: 'PreferNoSchedule' } as const;

const userDataOf = (account: AccountState, { name, cluster, input }: EksNodegroupRecord, image: string): string => {
  const { name: clusterName, certificateAuthority = '', port, input: made } = account.eksClusters.get(cluster)!;
  const labels = {
    ...input.labels,
    'eks.amazonaws.com/nodegroup': name,
    'eks.amazonaws.com/nodegroup-image': image,
    'eks.amazonaws.com/capacityType': input.capacityType ?? 'ON_DEMAND',
  };
  const labelText = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const taintText = (input.taints ?? []).map(({ key, value, effect }) => `${key}=${value}:${effects[effect]}`);
  const config = {
    apiVersion: 'node.eks.aws/v1alpha1',
    kind: 'NodeConfig',
    spec: {
      cluster: {
        name: clusterName,
        apiServerEndpoint: `https://127.0.0.1:${port}`,
        certificateAuthority: Buffer.from(certificateAuthority).toString('base64'),
        cidr: made.kubernetesNetworkConfig?.serviceIpv4Cidr ?? '10.100.0.0/16',
      },
      kubelet: {
        flags: [
          `--node-labels=${labelText.join(',')}`,
          ...(taintText.length > 0 ? [`--register-with-taints=${taintText.join(',')}`] : []),
        ],
      },
    },
  };
  const text = [
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="//"',
    '',
    '--//',
    'Content-Type: application/node.eks.aws',
    '',
    JSON.stringify(config),
    '--//--',
    '',
  ].join('\n');
  return Buffer.from(text).toString('base64');
};

/** Its instances that nothing has ended. */
const livingOf = (account: AccountState, { region, name, input }: EksNodegroupRecord): InstanceRecord[] =>
  account.instances
    .by(tagIndex(region, nameTag), name)
    .filter(({ tags, ended }) => tags[clusterTag] === input.clusterName && !ended);

const remaining = (account: AccountState, { region, name, input }: EksNodegroupRecord, now: number) =>
  account.instances
    .by(tagIndex(region, nameTag), name)
    .filter((one) => one.tags[clusterTag] === input.clusterName && instanceState(one, now) !== 'terminated');

const instanceTags = ({ name, input }: EksNodegroupRecord): Record<string, string> => ({
  [nameTag]: name,
  [clusterTag]: input.clusterName,
  [`kubernetes.io/cluster/${input.clusterName}`]: 'owned',
});

/** In the subnet with the fewest of them. */
const launch = (account: AccountState, group: EksNodegroupRecord, now: number): void => {
  const { region, input } = group;
  const living = livingOf(account, group);
  const uses = (subnet: string) => living.filter(({ interfaces }) => interfaces[0]?.subnetId === subnet).length;
  const [subnet] = input.subnets.toSorted((a, b) => uses(a) - uses(b));
  const image = imageOf(account, group);
  const call: Call = { account, region, now, caller: { arn: '', role: '' } };
  const token = `${group.id}-${group.launched}`;
  group.launched++;
  try {
    launchActions.RunInstances(call, {
      ClientToken: token,
      MinCount: 1,
      MaxCount: 1,
      ImageId: image,
      InstanceType: input.instanceTypes?.[0] ?? 't3.medium',
      SubnetId: subnet!,
      SecurityGroupIds: [account.eksClusters.get(group.cluster)!.securityGroup],
      UserData: userDataOf(account, group, image),
      ...(input.capacityType === 'SPOT' && { InstanceMarketOptions: { MarketType: 'spot' as const } }),
      TagSpecifications: [{ ResourceType: 'instance', Tags: tagList(instanceTags(group)) }],
    } as CloudInput<'RunInstances'>);
    delete group.issue;
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    group.issue = {
      code: 'AsgInstanceLaunchFailures',
      message: `Could not launch On-Demand Instances. ${error.code} - ${error.message} Launching EC2 instance failed.`,
      resourceIds: [`eks-${group.id}`],
    };
  }
};

const end = (account: AccountState, instance: InstanceRecord): void =>
  endInstance(account, instance, {
    code: 'Client.UserInitiatedShutdown',
    message: 'Client.UserInitiatedShutdown: User initiated shutdown',
  });

const isRunning = (now: number) => (instance: InstanceRecord) => instanceState(instance, now) === 'running';

/** One check: launches or ends one instance of each kind that is missing or too many. */
const balance = (account: AccountState, group: EksNodegroupRecord, now: number): void => {
  const { desiredSize } = group.input.scalingConfig;
  const image = imageOf(account, group);
  const living = livingOf(account, group);
  const old = living.filter(({ imageId }) => imageId !== image);
  const running = living.filter(isRunning(now));
  if (living.length < desiredSize)
    for (let missing = desiredSize - living.length; missing > 0; missing--) launch(account, group, now);
  else if (living.length > desiredSize && old.length === 0)
    for (const one of living.slice(desiredSize)) end(account, one);
  else if (old.length > 0 && living.length === desiredSize) launch(account, group, now);
  // The one that stands for it runs.
  else if (old.length > 0 && running.length === living.length) end(account, old[0]!);
  if (livingOf(account, group).length >= desiredSize) delete group.issue;
};

const isSettled = (account: AccountState, group: EksNodegroupRecord, now: number): boolean => {
  const image = imageOf(account, group);
  const living = livingOf(account, group);
  return (
    living.length === group.input.scalingConfig.desiredSize &&
    living.every((one) => one.imageId === image && isRunning(now)(one))
  );
};

const check = (account: AccountState, group: EksNodegroupRecord): void => {
  const now = account.clock.now();
  const { delays } = account.behaviour;
  if (group.phase === 'DELETING') {
    for (const one of livingOf(account, group)) end(account, one);
    if (remaining(account, group, now).length === 0) {
      account.eksNodegroups.delete(group.id);
      return;
    }
  } else if (group.phase !== 'CREATE_FAILED') {
    balance(account, group, now);
    if (group.phase !== 'SETTLED' && now >= group.since + scaled(account, delays.eksNodegroupCheck)) {
      if (isSettled(account, group, now)) Object.assign(group, { phase: 'SETTLED', since: now });
      else if (now >= group.since + scaled(account, delays.eksNodegroupFails))
        Object.assign(group, { phase: group.phase === 'CREATING' ? 'CREATE_FAILED' : 'SETTLED', since: now });
    }
  }
  account.eksNodegroups.put(group);
  watchEksNodegroup(account, group);
};

/** Checks it again and again. Armed at every change and after a restart. */
export const watchEksNodegroup = (account: AccountState, group: EksNodegroupRecord): void =>
  account.timers.at(group.id, account.clock.now() + scaled(account, account.behaviour.delays.eksNodegroupCheck), () =>
    check(account, group),
  );

const groupsOf = (account: AccountState, cluster: EksClusterRecord): readonly EksNodegroupRecord[] =>
  account.eksNodegroups.by('cluster', cluster.id);

const named = (call: Call, { clusterName, nodegroupName }: { clusterName: string; nodegroupName: string }) => {
  const cluster = eksClusterNamed(call, clusterName);
  return (
    groupsOf(call.account, cluster).find(({ name }) => name === nodegroupName) ??
    refuse('ResourceNotFoundException', `No node group found for name: ${nodegroupName}.`)
  );
};

const checkScaling = ({ minSize, maxSize, desiredSize }: Creation['scalingConfig']): void => {
  if (maxSize < 1) refuse('InvalidParameterException', 'maxSize must be at least 1');
  if (minSize > desiredSize)
    refuse(
      'InvalidParameterException',
      `Minimum capacity ${minSize} can't be greater than desired size ${desiredSize}`,
    );
  if (maxSize < desiredSize)
    refuse('InvalidParameterException', `desired capacity ${desiredSize} can't be greater than max size ${maxSize}`);
};

const checkCreation = (call: Call, input: Creation, cluster: EksClusterRecord): void => {
  const { account, region, now } = call;
  const { nodegroupName, nodeRole, subnets, instanceTypes = [], remoteAccess, version } = input;
  if (!/^[0-9A-Za-z][A-Za-z0-9_-]{0,62}$/.test(nodegroupName))
    refuse('InvalidParameterException', `The nodegroup name ${nodegroupName} is invalid`);
  if (!['ACTIVE', 'UPDATING'].includes(eksStatusOf(cluster, now)))
    refuse('InvalidRequestException', `Cluster '${cluster.name}' is not in ACTIVE status`);
  if (groupsOf(account, cluster).length >= account.behaviour.quotas.eksNodegroups)
    refuse('ResourceLimitExceededException', 'Nodegroup limit exceeded for the cluster');
  checkScaling(input.scalingConfig);
  if (!hasRole(call, nodeRole))
    refuse('InvalidParameterException', `The node role ${nodeRole} does not exist or cannot be assumed by EC2`);
  for (const type of instanceTypes)
    if (!instanceType(account, type))
      refuse('InvalidParameterException', `The following supplied instance types do not exist: [${type}]`);
  for (const id of subnets)
    if (account.subnets.get(id)?.vpcId !== cluster.vpcId)
      refuse('InvalidParameterException', `The subnet ID '${id}' does not exist or is not in the VPC of the cluster`);
  if (remoteAccess?.ec2SshKey && !hasKeyPair(account, region, remoteAccess.ec2SshKey))
    noSuchKeyPair(remoteAccess.ec2SshKey);
  if (version && minorOf(version) > minorOf(cluster.version))
    refuse('InvalidParameterException', `Nodegroup version ${version} is newer than that of the cluster`);
};

/** EKS makes one change at a time. */
const changeable = (call: Call, of: { clusterName: string; nodegroupName: string }): EksNodegroupRecord => {
  const group = named(call, of);
  if (group.phase !== 'SETTLED')
    refuse('ResourceInUseException', 'Nodegroup cannot be updated as it is currently not in Active State');
  return group;
};

const begin = (call: Call, group: EksNodegroupRecord) => {
  const { account, now } = call;
  Object.assign(group, { phase: 'UPDATING', since: now });
  account.eksNodegroups.put(group);
  watchEksNodegroup(account, group);
  return { update: { id: newHex(account.random, 32) } };
};

const releaseOf = (version: string): string => `${version}.0-20251120`;

export const eksNodegroupActions = {
  DescribeNodegroup: (call, of) => ({ nodegroup: view(named(call, of)) }),

  CreateNodegroup: (call, input) => {
    const { account, region, now } = call;
    const cluster = eksClusterNamed(call, input.clusterName);
    const earlier = groupsOf(account, cluster).find(({ name }) => name === input.nodegroupName);
    if (earlier && earlier.input.clientRequestToken === input.clientRequestToken) return { nodegroup: view(earlier) };
    if (earlier)
      refuse(
        'ResourceInUseException',
        `NodeGroup already exists with name ${input.nodegroupName} and cluster name ${cluster.name}`,
      );
    checkCreation(call, input, cluster);
    const version = input.version ?? cluster.version;
    const group: EksNodegroupRecord = {
      id: `ng-${newHex(account.random, 17)}`,
      region,
      seq: account.nextSeq(),
      created: now,
      tags: input.tags,
      name: input.nodegroupName,
      cluster: cluster.id,
      input,
      version,
      releaseVersion: input.releaseVersion ?? releaseOf(version),
      phase: 'CREATING',
      since: now,
      launched: 0,
    };
    account.eksNodegroups.put(group);
    admitNodes(call, cluster, input.nodeRole);
    watchEksNodegroup(account, group);
    return { nodegroup: view(group) };
  },

  UpdateNodegroupConfig: (call, { clusterName, nodegroupName, labels, taints, ...change }) => {
    const group = changeable(call, { clusterName, nodegroupName });
    if (change.scalingConfig) checkScaling(change.scalingConfig);
    const { addOrUpdateLabels = {}, removeLabels = [] } = labels ?? {};
    const kept = Object.entries({ ...group.input.labels, ...addOrUpdateLabels }).filter(
      ([key]) => !removeLabels.includes(key),
    );
    const { addOrUpdateTaints = [], removeTaints = [] } = taints ?? {};
    const isNamed = (in_: { key: string; effect: string }[]) => (one: { key: string; effect: string }) =>
      in_.some(({ key, effect }) => key === one.key && effect === one.effect);
    const left = (group.input.taints ?? []).filter((one) => !isNamed([...addOrUpdateTaints, ...removeTaints])(one));
    group.input = {
      ...group.input,
      ...change,
      labels: Object.fromEntries(kept),
      taints: [...left, ...addOrUpdateTaints],
    };
    return begin(call, group);
  },

  UpdateNodegroupVersion: (call, { clusterName, nodegroupName, version, releaseVersion }) => {
    const group = changeable(call, { clusterName, nodegroupName });
    const cluster = eksClusterNamed(call, clusterName);
    const next = version ?? group.version;
    if (minorOf(next) > minorOf(cluster.version) || minorOf(next) > minorOf(group.version) + 1)
      refuse(
        'InvalidParameterException',
        `Requested Kubernetes version ${next} is not possible for a node group of ${group.version} in a cluster of ${cluster.version}`,
      );
    Object.assign(group, { version: next, releaseVersion: releaseVersion ?? releaseOf(next) });
    return begin(call, group);
  },

  DeleteNodegroup: (call, of) => {
    const group = named(call, of);
    if (group.phase === 'UPDATING' || group.phase === 'CREATING')
      refuse('ResourceInUseException', `Nodegroup ${group.name} cannot be deleted while it is ${group.phase}`);
    if (group.phase !== 'DELETING') Object.assign(group, { phase: 'DELETING', since: call.now });
    call.account.eksNodegroups.put(group);
    watchEksNodegroup(call.account, group);
    return { nodegroup: view(group) };
  },
} satisfies Handlers;
