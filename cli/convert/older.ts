/** The forms of versions before v1beta1 of Cluster API and v1beta2 of the AWS provider, kind by kind. */
import { isSeq } from 'yaml';
import { move, type Value } from '../../kinds/common/conversion.ts';
import { seconds } from '../../kinds/common/conversion-values.ts';
import {
  awsClusterPath,
  awsMachinePath,
  drop,
  isBefore,
  isTrue,
  kubeadmPath,
  type Manifest,
  machinePath,
  rename,
  split,
  textIn,
} from './manifest.ts';
import { isVariable } from './move.ts';
import {
  asMap,
  at,
  fieldIn,
  isNull,
  keyOf,
  type MapNode,
  mapAt,
  removeAt,
  scalar,
  setAt,
  setField,
  textAt,
  textOf,
} from './nodes.ts';

const inverted: Value = {
  up: (value) => (/^\$|\{/.test(String(value)) ? undefined : isTrue(String(value)) ? 'false' : 'true'),
  down: (value) => value,
};
const unlessZero: Value = { up: (value) => (value === '0' ? undefined : value), down: (value) => value };

const machineOf = (manifest: Manifest, path: string): void => {
  drop(manifest, `${path}.metadata`, 'changed', 'the metadata of the template had no effect');
  const bootstrap = at(manifest.node, ...split(path), 'bootstrap');
  if (fieldIn(bootstrap, 'data') && manifest.kind !== 'Machine')
    drop(manifest, `${path}.bootstrap.data`, 'lost', 'v1alpha4 has no bootstrap data in a template');
};

const onlyMeta = new Set(['labels', 'annotations']);
const templateMetadata = (manifest: Manifest, path: string): void => {
  const metadata = asMap(at(manifest.node, ...split(path), 'metadata'));
  for (const name of metadata?.items.map(keyOf).filter((one) => !onlyMeta.has(one)) ?? [])
    drop(manifest, `${path}.metadata.${name}`, 'changed', 'a template has only labels and annotations');
};

const sections = ['clusterConfiguration', 'initConfiguration', 'joinConfiguration'];
const kubeadmOf = (manifest: Manifest, path: string): void => {
  const gone = (field: string, why: string, level: 'changed' | 'lost' = 'lost') =>
    drop(manifest, `${path}.${field}`, level, why);
  const falseOr = (field: string) => (isTrue(textIn(manifest, `${path}.${field}`)) ? 'lost' : 'changed');
  for (const field of ['useHyperKubeImage', 'clusterConfiguration.useHyperKubeImage'])
    gone(field, 'hyperkube images no longer exist', falseOr(field));
  const dns = textIn(manifest, `${path}.clusterConfiguration.dns.type`);
  if (dns === 'kube-dns') {
    manifest.changes.add('error', `${path}.clusterConfiguration.dns.type`, 'kubeadm installs only CoreDNS', {
      from: dns,
    });
    removeAt(manifest.node, split(`${path}.clusterConfiguration.dns.type`));
  } else gone('clusterConfiguration.dns.type', 'CoreDNS is the only one', 'changed');
  gone('useExperimentalRetryJoin', 'kubeadm retries a join itself', falseOr('useExperimentalRetryJoin'));
  gone('clusterStatus', 'kubeadm keeps it itself', 'changed');
  for (const section of sections) {
    gone(`${section}.certificateKey`, 'Cluster API distributes certificates itself');
    for (const field of ['apiVersion', 'kind'])
      gone(`${section}.${field}`, 'the version of Kubernetes decides on the version of kubeadm’s API', 'changed');
  }
  const wait = textIn(manifest, `${path}.clusterConfiguration.apiServer.timeoutForControlPlane`);
  if (wait !== undefined && !isVariable(wait)) forJoin(manifest, path, wait);
};

/** The older version has one timeout for init and join. It is moved for init by the rules of the served versions. */
const forJoin = ({ node, changes }: Manifest, path: string, wait: string): void => {
  const target = [...split(path), 'joinConfiguration', 'timeouts', 'controlPlaneComponentHealthCheckSeconds'];
  if (at(node, ...target) !== undefined) return;
  const parent = mapAt(node, target.slice(0, -1));
  if (!parent) return;
  const field = setField(parent, target.at(-1)!, scalar(wait));
  const converted = seconds.up(wait, { namespace: '' });
  if (converted === undefined) {
    removeAt(node, target);
    return;
  }
  field.value = scalar(Number(converted));
  changes.add(
    'changed',
    `${path}.clusterConfiguration.apiServer.timeoutForControlPlane`,
    'v1beta2 counts seconds, for init and join',
    {
      moved: target.join('.'),
      from: wait,
      to: String(converted),
    },
  );
};

const onlyDigits = /^\d+$/;
const wholeCounts = (manifest: Manifest, ...paths: string[]): void => {
  for (const path of paths) {
    const node = at(manifest.node, ...split(path));
    const text = textOf(node);
    const isText = text !== undefined && (node as { type?: string }).type !== 'PLAIN';
    if (!isText || !onlyDigits.test(text)) continue;
    setAt(manifest.node, split(path), scalar(text));
    manifest.changes.add(
      'note',
      path,
      `${text} as text was ${text} % in v1alpha3 and is refused since: read as the number`,
      {
        from: `"${text}"`,
        to: text,
      },
    );
  }
};

const awsClusterOf = (manifest: Manifest, path: string): void => {
  const { node, changes } = manifest;
  rename(manifest, 'v1alpha4', [move('networkSpec', 'network')], path);
  rename(manifest, 'v1alpha3', [move('disableBastionHost', 'bastion.enabled', inverted)], path);
  if (isBefore(manifest, 'v1alpha3') && at(node, ...split(path), 'bastion', 'enabled') === undefined) {
    setAt(node, [...split(path), 'bastion', 'enabled'], scalar('true'));
    changes.add('changed', `${path}.bastion.enabled`, 'a cluster of v1alpha2 had a bastion unless it was disabled', {
      to: 'true',
    });
  }
  for (const balancer of ['controlPlaneLoadBalancer', 'secondaryControlPlaneLoadBalancer']) {
    const scheme = textIn(manifest, `${path}.${balancer}.scheme`);
    if (scheme !== 'Internet-facing') continue;
    setAt(node, split(`${path}.${balancer}.scheme`), scalar('internet-facing'));
    changes.add('changed', `${path}.${balancer}.scheme`, 'AWS and v1beta1 spell it so', {
      from: scheme,
      to: 'internet-facing',
    });
  }
  subnetIds(manifest, `${path}.network`);
};

const subnetIds = ({ node, changes }: Manifest, path: string): void => {
  const subnets = at(node, ...split(path), 'subnets');
  if (!isSeq(subnets)) return;
  const vpc = textAt(node, ...split(path), 'vpc', 'id');
  const taken = new Set(subnets.items.map((one) => textAt(one, 'id')));
  subnets.items.forEach((item, i) => {
    const subnet = asMap(item);
    if (!subnet || textAt(subnet, 'id')) return;
    const where = `${path}.subnets[${i}].id`;
    if (vpc) {
      changes.add('error', where, `needs a value: the id of this subnet in ${vpc}`);
      return;
    }
    const id = unused([isTrue(textAt(subnet, 'isPublic')) ? 'public' : 'private', zoneIn(subnet)], taken);
    taken.add(id);
    fieldIn(subnet, 'id') ? setField(subnet, 'id', scalar(id)) : setField(subnet, 'id', scalar(id), 0);
    moveComment(subnet);
    changes.add('changed', where, 'a subnet needs a name; it is created with this one', { to: id });
  });
};
const zoneIn = (subnet: MapNode): string => {
  const zone = textAt(subnet, 'availabilityZone') ?? '';
  return isVariable(zone) ? '' : zone;
};
const unused = (parts: string[], taken: ReadonlySet<string | undefined>): string => {
  const name = parts.filter(Boolean).join('-');
  if (!taken.has(name)) return name;
  let n = 2;
  while (taken.has(`${name}-${n}`)) n++;
  return `${name}-${n}`;
};
/** The comment of a list item stands before its first field. */
const moveComment = (map: MapNode): void => {
  const [first, second] = map.items;
  if (!first || !second?.key.commentBefore || first.key.commentBefore) return;
  first.key.commentBefore = second.key.commentBefore;
  second.key.commentBefore = null;
};

const awsMachineOf = (manifest: Manifest, path: string): void => {
  const { node, changes } = manifest;
  rename(
    manifest,
    'v1alpha3',
    [move('availabilityZone', 'failureDomain'), move('rootDeviceSize', 'rootVolume.size', unlessZero)],
    path,
  );
  const secure = 'cloudInit.enableSecureSecretsManager';
  rename(manifest, 'v1alpha3', [move(secure, 'cloudInit.insecureSkipSecretsManager', inverted)], path);
  if (isBefore(manifest, 'v1alpha3') && at(node, ...split(path), 'cloudInit') === undefined) {
    setAt(node, [...split(path), 'cloudInit', 'insecureSkipSecretsManager'], scalar('true'));
    changes.add(
      'changed',
      `${path}.cloudInit.insecureSkipSecretsManager`,
      'v1alpha2 kept no user data in Secrets Manager',
      { to: 'true' },
    );
  }
  for (const field of ['arn', 'filters'])
    drop(manifest, `${path}.ami.${field}`, 'lost', 'an image is chosen by its id alone');
  if (manifest.version === 'v1alpha3' || manifest.version === 'v1alpha2') unencrypted(manifest, path);
  withoutArns(manifest, path);
  insecure(manifest, path);
};

const unencrypted = ({ node, changes }: Manifest, path: string): void => {
  const root = asMap(at(node, ...split(path), 'rootVolume'));
  const others = at(node, ...split(path), 'nonRootVolumes');
  const volumes = [
    ...(root ? [{ map: root, at: `${path}.rootVolume` }] : []),
    ...(isSeq(others) ? others.items.map((map, i) => ({ map: asMap(map), at: `${path}.nonRootVolumes[${i}]` })) : []),
  ];
  for (const { map, at: where } of volumes) {
    if (!map || fieldIn(map, 'encrypted')) continue;
    setField(map, 'encrypted', scalar('false'));
    changes.add('changed', `${where}.encrypted`, 'v1alpha3 encrypted only on request', { to: 'false' });
  }
};

const withoutArns = (manifest: Manifest, path: string): void => {
  const { node, changes } = manifest;
  const lacks = (map: unknown) => !fieldIn(map, 'id') && !fieldIn(map, 'filters');
  const subnet = asMap(at(node, ...split(path), 'subnet'));
  if (subnet && fieldIn(subnet, 'arn')) {
    if (lacks(subnet))
      changes.add('error', `${path}.subnet.id`, 'needs a value: v1beta2 knows no ARN', {
        from: textAt(subnet, 'arn')!,
      });
    drop(manifest, `${path}.subnet.arn`, 'lost', 'v1beta2 knows a subnet by id or filters');
  }
  const groups = at(node, ...split(path), 'additionalSecurityGroups');
  if (!isSeq(groups)) return;
  groups.items.forEach((group, i) => {
    const arn = textAt(group, 'arn');
    if (arn === undefined) return;
    const where = `${path}.additionalSecurityGroups[${i}]`;
    if (lacks(group)) changes.add('error', `${where}.id`, 'needs a value: v1beta2 knows no ARN', { from: arn });
    removeAt(group, ['arn']);
    changes.add('lost', `${where}.arn`, 'v1beta2 knows a security group by id or filters', { from: arn });
  });
};

/** Fields about a secret that is not used are refused. */
const insecure = (manifest: Manifest, path: string): void => {
  if (!isTrue(textIn(manifest, `${path}.cloudInit.insecureSkipSecretsManager`))) return;
  for (const field of ['secretPrefix', 'secretCount', 'secureSecretsBackend'])
    drop(
      manifest,
      `${path}.cloudInit.${field}`,
      'note',
      'refused beside insecureSkipSecretsManager, and without effect',
    );
};

const of: Record<string, (manifest: Manifest) => void> = {
  Cluster: (manifest) => {
    drop(manifest, 'spec.topology.rolloutAfter', 'lost', 'v1beta2 has no such field');
    const variables = at(manifest.node, 'spec', 'topology', 'variables');
    if (!isSeq(variables)) return;
    for (const [i, one] of variables.items.entries())
      if (removeAt(one, ['definitionFrom']))
        manifest.changes.add(
          'lost',
          `spec.topology.variables[${i}].definitionFrom`,
          'v1beta2 has one definition of each variable',
        );
  },
  Machine: (manifest) => {
    const annotations = asMap(at(manifest.node, 'metadata', 'annotations'));
    const field = annotations && fieldIn(annotations, 'machine.cluster.x-k8s.io.io/exclude-node-draining');
    if (!field) return;
    field.key.value = 'machine.cluster.x-k8s.io/exclude-node-draining';
    manifest.changes.add('changed', 'metadata.annotations', 'the name of the annotation was misspelt in v1alpha2', {
      to: String(field.key.value),
    });
  },
  MachineDeployment: (manifest) => {
    drop(manifest, 'spec.progressDeadlineSeconds', 'lost', 'v1beta2 has no such field');
    drop(manifest, 'spec.revisionHistoryLimit', 'lost', 'v1beta2 has no such field');
    wholeCounts(
      manifest,
      'spec.strategy.rollingUpdate.maxSurge',
      'spec.strategy.rollingUpdate.maxUnavailable',
      'spec.strategy.remediation.maxInFlight',
    );
  },
  MachinePool: (manifest) => drop(manifest, 'spec.strategy', 'lost', 'it never had an effect, and is gone in v1alpha4'),
  MachineHealthCheck: (manifest) => wholeCounts(manifest, 'spec.maxUnhealthy'),
  KubeadmControlPlane: (manifest) => {
    rename(
      manifest,
      'v1alpha4',
      [
        move('infrastructureTemplate', 'machineTemplate.infrastructureRef'),
        move('nodeDrainTimeout', 'machineTemplate.nodeDrainTimeout'),
        move('upgradeAfter', 'rolloutAfter'),
      ],
      'spec',
    );
    wholeCounts(manifest, 'spec.rolloutStrategy.rollingUpdate.maxSurge');
    const retry = textIn(manifest, 'spec.remediationStrategy.retryPeriod');
    if (retry !== undefined && /^0+[a-z]*$/.test(retry))
      drop(manifest, 'spec.remediationStrategy.retryPeriod', 'changed', 'zero is the default');
  },
  KubeadmControlPlaneTemplate: (manifest) => {
    for (const field of ['replicas', 'version', 'machineTemplate.infrastructureRef'])
      drop(manifest, `spec.template.spec.${field}`, 'lost', 'a template leaves this to the Cluster');
  },
  AWSClusterStaticIdentity: (manifest) => {
    const reference = asMap(at(manifest.node, 'spec', 'secretRef'));
    if (!reference) return;
    const [name, namespace] = [textAt(reference, 'name') ?? '', textAt(reference, 'namespace')];
    setAt(manifest.node, ['spec', 'secretRef'], scalar(name));
    manifest.changes.add(
      'note',
      'spec.secretRef',
      `v1alpha4 reads the Secret in the controller’s namespace${namespace ? `; it was in ${namespace}` : ''}`,
      { to: name },
    );
  },
  AWSManagedControlPlane: (manifest) => {
    rename(manifest, 'v1alpha4', [move('networkSpec', 'network')], 'spec');
    rename(manifest, 'v1beta2', [move('disableVPCCNI', 'vpcCni.disable')], 'spec');
    subnetIds(manifest, 'spec.network');
    const addons = at(manifest.node, 'spec', 'addons');
    if (!isBefore(manifest, 'v1beta2') || !isSeq(addons)) return;
    for (const [i, addon] of addons.items.entries()) {
      const map = asMap(addon);
      if (!map || fieldIn(map, 'conflictResolution')) continue;
      setField(map, 'conflictResolution', scalar('none'));
      manifest.changes.add(
        'changed',
        `spec.addons[${i}].conflictResolution`,
        'the default was none, and is overwrite in v1beta2',
        { to: 'none' },
      );
    }
  },
  AWSManagedMachinePool: (manifest) =>
    rename(
      manifest,
      'v1beta2',
      [move('updateConfig.maxUnavailablePrecentage', 'updateConfig.maxUnavailablePercentage')],
      'spec',
    ),
  AWSMachinePool: (manifest) => {
    for (const field of ['arn', 'filters'])
      drop(manifest, `spec.awsLaunchTemplate.ami.${field}`, 'lost', 'an image is chosen by its id alone');
  },
};

/** Writes the fields of the older versions as v1beta1 has them, and those of the AWS provider as v1beta2 has them. */
export const fromOlder = (manifest: Manifest): void => {
  const { kind } = manifest;
  of[kind]?.(manifest);
  const [machine, kubeadm, awsMachine, awsCluster] = [machinePath, kubeadmPath, awsMachinePath, awsClusterPath].map(
    (paths) => paths[kind],
  );
  if (machine) machineOf(manifest, machine);
  if (kubeadm) kubeadmOf(manifest, kubeadm);
  if (awsMachine) awsMachineOf(manifest, awsMachine);
  if (awsCluster) awsClusterOf(manifest, awsCluster);
  const template = at(manifest.node, 'spec', 'template');
  if (template !== undefined && !isNull(template)) templateMetadata(manifest, 'spec.template');
  if (kind === 'KubeadmControlPlane') templateMetadata(manifest, 'spec.machineTemplate');
};
