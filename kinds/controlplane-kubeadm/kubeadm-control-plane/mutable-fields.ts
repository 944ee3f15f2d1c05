/** The mutable fields of a KubeadmControlPlane; everything below them is mutable too. */
import { isObject } from '../../../machinery/api/object.ts';

const kubeadm = 'spec.kubeadmConfigSpec';
const cluster = `${kubeadm}.clusterConfiguration`;

const mutable = [
  'spec.machineTemplate',
  'spec.replicas',
  'spec.version',
  'spec.remediation',
  'spec.machineNaming',
  'spec.rollout',
  ...[
    'bootCommands',
    'preKubeadmCommands',
    'postKubeadmCommands',
    'files',
    'users',
    'verbosity',
    'ntp',
    'mounts',
    'diskSetup',
    'format',
    'ignition',
  ].map((field) => `${kubeadm}.${field}`),
  ...[
    'etcd',
    'dns',
    'imageRepository',
    'featureGates',
    'apiServer',
    'controllerManager',
    'scheduler',
    'certificateValidityPeriodDays',
    'encryptionAlgorithm',
  ].map((field) => `${cluster}.${field}`),
  ...['nodeRegistration', 'patches', 'skipPhases', 'timeouts', 'localAPIEndpoint', 'bootstrapTokens'].map(
    (field) => `${kubeadm}.initConfiguration.${field}`,
  ),
  ...['nodeRegistration', 'patches', 'skipPhases', 'timeouts', 'discovery', 'controlPlane', 'caCertPath'].map(
    (field) => `${kubeadm}.joinConfiguration.${field}`,
  ),
];

const isMutable = (path: string) => mutable.some((allowed) => path === allowed || path.startsWith(`${allowed}.`));
/** A parent may appear or disappear if all its changed children are mutable. */
const leadsToMutable = (path: string) => mutable.some((allowed) => allowed.startsWith(`${path}.`));

/** Immutable paths at which `after` differs from `before`. */
export const forbiddenChanges = (before: unknown, after: unknown, path: string): string[] => {
  if (isMutable(path) || JSON.stringify(before) === JSON.stringify(after)) return [];
  if ((isObject(before) || isObject(after)) && leadsToMutable(path)) {
    const [old, next] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
    const fields = [...new Set([...Object.keys(old), ...Object.keys(next)])].sort();
    return fields.flatMap((field) => forbiddenChanges(old[field], next[field], `${path}.${field}`));
  }
  if (isObject(before) && isObject(after)) {
    const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return fields.flatMap((field) => forbiddenChanges(before[field], after[field], `${path}.${field}`));
  }
  return [path];
};
