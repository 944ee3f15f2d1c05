import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { validateKubeadmConfigSpec, validateSpecDurations } from '../../bootstrap-kubeadm/kubeadm-config/validate.ts';
import { compareTags, isVersionTag } from '../../common/image-tag.ts';
import { compareVersions, parseVersion } from '../../common/kubernetes-version.ts';
import {
  forbiddenField,
  invalidValue,
  requiredField,
  validateDurations,
  validateNaming,
  validateReferences,
  validateTaints,
  validateTemplateMetadata,
  validateVersion,
} from '../../common/validate.ts';
import { forbiddenChanges } from './mutable-fields.ts';
import { annotations } from './names.ts';
import type { KubeadmControlPlaneSpec, KubeadmControlPlaneStatus } from './schema.ts';

type Spec = KubeadmControlPlaneSpec;
type Shared = Pick<Spec, 'kubeadmConfigSpec' | 'machineNaming' | 'rollout'> & {
  machineTemplate?: Pick<Spec['machineTemplate'], 'metadata'> & {
    spec?: Pick<Spec['machineTemplate']['spec'], 'taints'>;
  };
  /** Absent in a template, whose rollout is not judged by them. */
  replicas?: number;
};
const etcdOf = (spec: Shared) => spec.kubeadmConfigSpec?.clusterConfiguration?.etcd;

const validateReplicas = (spec: Spec): FieldError[] => {
  const { replicas } = spec;
  if (replicas === undefined) return [requiredField('spec.replicas', 'is required')];
  if (replicas <= 0) return [forbiddenField('spec.replicas', 'cannot be less than or equal to 0')];
  if (!etcdOf(spec)?.external && replicas % 2 === 0)
    return [forbiddenField('spec.replicas', 'cannot be an even number when etcd is stacked')];
  return [];
};

const surgeOf = (maxSurge: number | string | undefined): number | undefined => {
  if (maxSurge === undefined) return undefined;
  return typeof maxSurge === 'number' ? maxSurge : /^\d+$/.test(maxSurge) ? Number(maxSurge) : Number.NaN;
};

const validateRollout = ({ rollout, replicas, kubeadmConfigSpec }: Shared): FieldError[] => {
  const errors: FieldError[] = [];
  const days = rollout?.before?.certificatesExpiryDays;
  const validity = kubeadmConfigSpec?.clusterConfiguration?.certificateValidityPeriodDays ?? 365;
  const field = 'spec.rollout.before.certificatesExpiryDays';
  if (days !== undefined && days < 7) errors.push(invalidValue(field, days, 'must be greater than or equal to 7'));
  else if (days !== undefined && days >= validity)
    errors.push(invalidValue(field, days, `must be less than the validity of certificates, ${validity} days`));
  const strategy = 'spec.rollout.strategy';
  if (rollout?.strategy && rollout.strategy.type !== 'RollingUpdate')
    errors.push(requiredField(`${strategy}.type`, 'only RollingUpdate is supported'));
  const surge = surgeOf(rollout?.strategy?.rollingUpdate?.maxSurge);
  if (surge === 0 && replicas !== undefined && replicas < 3)
    errors.push(
      requiredField(
        `${strategy}.rollingUpdate`,
        'when KubeadmControlPlane is configured to scale-in, replica count needs to be at least 3',
      ),
    );
  if (surge !== undefined && surge !== 0 && surge !== 1)
    errors.push(requiredField(`${strategy}.rollingUpdate.maxSurge`, 'value must be 1 or 0'));
  return errors;
};

/** Older kubeadm has one timeout for both, so v1beta1 of this API cannot express two. */
const validateTimeouts = ({ kubeadmConfigSpec }: Shared): FieldError[] => {
  const field = 'timeouts.controlPlaneComponentHealthCheckSeconds';
  const { initConfiguration, joinConfiguration } = kubeadmConfigSpec ?? {};
  const init = initConfiguration?.timeouts?.controlPlaneComponentHealthCheckSeconds;
  const join = joinConfiguration?.timeouts?.controlPlaneComponentHealthCheckSeconds;
  if (init === join) return [];
  const detail = `controlPlaneComponentHealthCheckSeconds must be set to the same value both in initConfiguration.timeouts (${init ?? 'unset'}) and in joinConfiguration.timeouts (${join ?? 'unset'})`;
  return [
    invalidValue(`spec.kubeadmConfigSpec.initConfiguration.${field}`, init ?? 'unset', detail),
    invalidValue(`spec.kubeadmConfigSpec.joinConfiguration.${field}`, join ?? 'unset', detail),
  ];
};

/** In v1beta1, all parts of a reference are optional. */
const validateInfrastructure = ({ machineTemplate }: Spec): FieldError[] =>
  (['apiGroup', 'kind', 'name'] as const)
    .filter((part) => !machineTemplate.spec?.infrastructureRef?.[part])
    .map((part) => invalidValue(`spec.machineTemplate.spec.infrastructureRef.${part}`, '', 'cannot be empty'));

const imageTag = /^[\w][\w.-]{0,127}$/;
const validateImages = (spec: Shared): FieldError[] => {
  const path = 'spec.kubeadmConfigSpec.clusterConfiguration';
  const { dns, etcd } = spec.kubeadmConfigSpec?.clusterConfiguration ?? {};
  const tags = [
    [`${path}.dns.imageTag`, dns?.imageTag],
    [`${path}.etcd.local.imageTag`, etcd?.local?.imageTag],
  ] as const;
  return [
    ...tags.flatMap(([field, tag]) =>
      tag === undefined || imageTag.test(tag) ? [] : [forbiddenField(field, `tag ${tag} is invalid`)],
    ),
    ...(dns?.imageTag && imageTag.test(dns.imageTag) && !isVersionTag(dns.imageTag)
      ? [invalidValue(`${path}.dns.imageTag`, dns.imageTag, 'failed to parse CoreDNS version')]
      : []),
  ];
};

const names = { 'cluster.name': 'cluster', 'kubeadmControlPlane.name': 'control-plane' };

/** The part that a template of a ClusterClass has, too. */
export const validateShared = (spec: Shared): FieldError[] => {
  const { metadata, spec: machine } = spec.machineTemplate ?? {};
  return [
    ...validateNaming('spec.machineNaming.template', spec.machineNaming?.template, names),
    ...validateRollout(spec),
    ...validateTemplateMetadata('spec.machineTemplate.metadata', metadata),
    ...validateTaints('spec.machineTemplate.spec.taints', machine?.taints, { worker: false }),
    ...validateTimeouts(spec),
    ...validateImages(spec),
    ...(spec.kubeadmConfigSpec ? validateKubeadmConfigSpec(spec.kubeadmConfigSpec, 'spec.kubeadmConfigSpec') : []),
  ];
};

const validateSpec = (spec: Spec): FieldError[] => [
  ...validateReplicas(spec),
  ...validateVersion('spec.version', spec.version),
  ...validateInfrastructure(spec),
  ...validateShared(spec),
];

/**
 * As upstream by the former spec; also by the version that runs, which is newer where the former
 * spec was not carried out.
 */
const validateUpgrade = (old: Spec, next: Spec, running: string | undefined): FieldError[] => {
  const [from, to, is] = [old.version, next.version, running ?? ''].map(parseVersion);
  if (!from || !to || compareVersions(from, to) === 0) return [];
  const isNext = (version: typeof from | undefined) => version?.major === to.major && to.minor <= version.minor + 1;
  return isNext(from) || isNext(is)
    ? []
    : [forbiddenField('spec.version', `cannot update Kubernetes version from ${old.version} to ${next.version}`)];
};

/** A user who manages CoreDNS may downgrade it. */
const validateCoreDns = (old: Spec, next: Spec, { metadata }: KubeObject): FieldError[] => {
  const tagOf = (spec: Spec) => spec.kubeadmConfigSpec?.clusterConfiguration?.dns?.imageTag;
  const [before, after] = [tagOf(old), tagOf(next)];
  if (before === undefined || after === undefined || (compareTags(before, after) ?? 0) <= 0) return [];
  if (metadata.annotations?.[annotations.skipCoreDns] !== undefined) return [];
  const field = 'spec.kubeadmConfigSpec.clusterConfiguration.dns.imageTag';
  return [forbiddenField(field, `cannot migrate CoreDNS up to '${after}' from '${before}': it would be a downgrade`)];
};

const validateEtcdChange = (old: Spec, next: Spec): FieldError[] => {
  const detail = 'cannot change between external and local etcd';
  const path = 'spec.kubeadmConfigSpec.clusterConfiguration.etcd';
  const [before, after] = [etcdOf(old)?.external !== undefined, etcdOf(next)?.external !== undefined];
  if (before === after) return [];
  return [forbiddenField(before ? `${path}.local` : `${path}.external`, detail)];
};

export const validateKubeadmControlPlane = (object: KubeObject, { operation, old, subresource }: Admission) => {
  const spec = object.spec as Spec | undefined;
  if (!spec || operation === 'delete' || subresource === 'status') return [];
  const before = old?.spec as Spec | undefined;
  if (!before) return validateSpec(spec);
  return [
    ...validateSpec(spec),
    ...forbiddenChanges(before, spec, 'spec').map((field) => forbiddenField(field, 'cannot be modified')),
    ...validateUpgrade(before, spec, (old?.status as KubeadmControlPlaneStatus | undefined)?.version),
    ...validateEtcdChange(before, spec),
    ...validateCoreDns(before, spec, object),
  ];
};

const durations = [
  ...['nodeDrainTimeout', 'nodeVolumeDetachTimeout', 'nodeDeletionTimeout'].map((f) => `spec.machineTemplate.${f}`),
  ...['retryPeriod', 'minHealthyPeriod'].map((field) => `spec.remediationStrategy.${field}`),
];
/** Errors that only v1beta1 can have. */
export const validateV1beta1 = (object: KubeObject): FieldError[] => [
  ...validateReferences(['spec.machineTemplate.infrastructureRef'])(object),
  ...validateDurations(durations)(object),
  ...validateSpecDurations('spec.kubeadmConfigSpec')(object),
];
