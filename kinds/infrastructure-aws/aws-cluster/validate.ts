import ipaddr from 'ipaddr.js';
import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import { equal } from '../../../machinery/api/merge.ts';
import { filledAnnotation, givenSpec } from '../../common/filled.ts';
import { isPort, portRule } from '../../common/port.ts';
import { forbiddenField, invalidValue, requiredField } from '../../common/validate.ts';
import { invalidKeyName } from '../aws-machine/validate-key-name.ts';
import { invalidTags } from '../aws-machine/validate-tags.ts';
import { collectorTasks, collectorTasksAnnotation } from '../network/left-behind.ts';
import { isBegun } from './owner.ts';
import type { AWSCluster, AWSClusterSpec } from './schema.ts';
import { validateLoadBalancerChanges, validateLoadBalancers } from './validate-load-balancers.ts';
import { validateBlocks, validateNetwork } from './validate-network.ts';

const managedBy = 'cluster.x-k8s.io/managed-by';

/** What a template of an AWSCluster must satisfy, too. */
export const validateClusterSpec = (spec: AWSClusterSpec, before: AWSClusterSpec | undefined): FieldError[] => [
  ...validateEndpoint(spec),
  ...validateLoadBalancers(spec),
  ...validateNetwork(spec.network ?? {}),
  ...validateBastion(spec),
  ...validateBucket(spec),
  ...invalidTags('spec.additionalTags', spec.additionalTags),
  ...(spec.sshKeyName === before?.sshKeyName ? [] : invalidKeyName('spec.sshKeyName', spec.sshKeyName)),
];

export const validate = (object: AWSCluster, { operation, old }: Admission): FieldError[] => {
  if (operation === 'delete') return [];
  return [
    ...validateName(object.metadata.name),
    ...validateClusterSpec(object.spec ?? {}, (old as AWSCluster | undefined)?.spec),
    ...(operation === 'update' && old ? validateChange(object, old as AWSCluster) : []),
  ];
};

const validateName = (name: string): FieldError[] =>
  /^[a-z0-9]/.test(name) ? [] : [invalidValue('metadata.name', name, 'must start with an alphanumeric character')];

/** The Cluster takes the endpoint over, and admits fewer values. */
const validateEndpoint = ({ controlPlaneEndpoint: { port } = {} }: AWSClusterSpec): FieldError[] =>
  !port || isPort(port) ? [] : [invalidValue('spec.controlPlaneEndpoint.port', port, portRule)];

const validateBastion = ({ bastion }: AWSClusterSpec): FieldError[] => {
  if (!bastion) return [];
  const at = 'spec.bastion.allowedCIDRBlocks';
  if (bastion.disableIngressRules && bastion.allowedCIDRBlocks?.length)
    return [forbiddenField(at, 'cannot be set if spec.bastion.disableIngressRules is true')];
  return validateBlocks(at, bastion.allowedCIDRBlocks);
};

/** Without presigned URLs, machines read the bucket through their instance profiles. */
const validateBucket = ({ s3Bucket }: AWSClusterSpec): FieldError[] => {
  if (!s3Bucket) return [];
  const at = 'spec.s3Bucket';
  const { name, presignedURLDuration, controlPlaneIAMInstanceProfile, nodesIAMInstanceProfiles = [] } = s3Bucket;
  const empty = "can't be empty";
  const missing = [
    ...(controlPlaneIAMInstanceProfile ? [] : ['controlPlaneIAMInstanceProfile']),
    ...(nodesIAMInstanceProfiles.length > 0 ? [] : ['nodesIAMInstanceProfiles']),
    ...nodesIAMInstanceProfiles.flatMap((profile, i) => (profile ? [] : [`nodesIAMInstanceProfiles[${i}]`])),
  ];
  return [
    ...(presignedURLDuration ? [] : missing.map((field) => requiredField(`${at}.${field}`, empty))),
    ...(ipaddr.IPv4.isValidFourPartDecimal(name)
      ? [invalidValue(`${at}.name`, name, 'must not be formatted as an IP address (for example, 192.168.5.4)')]
      : []),
  ];
};

const immutable = 'field is immutable';
const isSet = (value: unknown) => value !== undefined && value !== '';

/**
 * Only controllers can remove this annotation. They do so when the cluster is torn down, and reset
 * the fields that they filled in.
 */
const isUndone = (object: AWSCluster, old: AWSCluster): boolean =>
  filledAnnotation in (old.metadata.annotations ?? {}) && !(filledAnnotation in (object.metadata.annotations ?? {}));

const validateAnnotations = (object: AWSCluster, old: AWSCluster): FieldError[] => {
  const { annotations = {} } = object.metadata;
  const tasks = annotations[collectorTasksAnnotation];
  const known: readonly string[] = collectorTasks;
  const unknown = tasks ? tasks.split(',').filter((task) => !known.includes(task)) : [];
  return [
    ...unknown.map((task) =>
      invalidValue(
        'metadata.annotations',
        annotations,
        `annotation ${collectorTasksAnnotation} contains unsupported GC task ${task}`,
      ),
    ),
    ...(managedBy in (old.metadata.annotations ?? {}) && !(managedBy in annotations)
      ? [invalidValue('metadata.annotations', annotations, 'removal of externally managed annotation is not allowed')]
      : []),
  ];
};

/** Fields that are immutable because AWS resources or the cluster depend on them. */
const validateChange = (object: AWSCluster, old: AWSCluster): FieldError[] => {
  const next = object.spec ?? {};
  const before = old.spec ?? {};
  const faults: FieldError[] = [];
  if (isSet(before.region) && next.region !== before.region)
    faults.push(invalidValue('spec.region', next.region, immutable));
  const endpoint = before.controlPlaneEndpoint;
  const given = isUndone(object, old) ? givenSpec(old).controlPlaneEndpoint : endpoint;
  // Half an endpoint is unusable, so the other half may follow, and so is one without a valid port.
  if (endpoint?.host && isPort(endpoint.port) && !equal(given, next.controlPlaneEndpoint))
    faults.push(invalidValue('spec.controlPlaneEndpoint', next.controlPlaneEndpoint, immutable));
  if (before.identityRef && !next.identityRef)
    faults.push(invalidValue('spec.identityRef', next.identityRef, 'field cannot be set to nil'));
  const isMade = isBegun(old) || old.status?.ready === true;
  const vpc = next.network?.vpc?.id;
  // A wrong id is found before anything is made, and may be mended.
  if (isMade && before.network?.vpc?.id && vpc && vpc !== before.network.vpc.id)
    faults.push(invalidValue('spec.network.vpc.id', vpc, immutable));
  const [had, has] = [before, next].map(({ network }) => network?.vpc?.ipv6);
  if (isMade && Boolean(had) !== Boolean(has))
    faults.push(invalidValue('spec.network.vpc.ipv6', has, 'changing IP family is not allowed after it has been set'));
  return [...faults, ...validateLoadBalancerChanges(before, next, isBegun(old)), ...validateAnnotations(object, old)];
};
