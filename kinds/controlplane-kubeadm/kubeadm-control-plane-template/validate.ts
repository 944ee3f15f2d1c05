import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import { equal } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { validateSpecDurations } from '../../bootstrap-kubeadm/kubeadm-config/validate.ts';
import { invalidValue, validateDurations, validateTemplateMetadata } from '../../common/validate.ts';
import { isTopologyDryRun } from '../../core/contract/topology.ts';
import { validateShared } from '../kubeadm-control-plane/validate.ts';
import type { KubeadmControlPlaneTemplate } from './schema.ts';

const at = 'spec.template.spec';
const inTemplate = (errors: FieldError[]): FieldError[] =>
  errors.map((error) => ({ ...error, field: error.field.replace(/^spec\b/, at) }));

export const validateKubeadmControlPlaneTemplate = (object: KubeObject, admission: Admission): FieldError[] => {
  const { template } = (object as KubeadmControlPlaneTemplate).spec ?? {};
  if (!template || admission.operation === 'delete') return [];
  const old = admission.old as KubeadmControlPlaneTemplate | undefined;
  const isChanged = old && !isTopologyDryRun(object, admission) && !equal(old.spec?.template.spec, template.spec);
  return [
    ...inTemplate(validateShared(template.spec ?? {})),
    ...validateTemplateMetadata('spec.template.metadata', template.metadata),
    ...(isChanged
      ? [
          invalidValue(
            at,
            template.spec,
            'KubeadmControlPlaneTemplate spec.template.spec field is immutable. Please create new resource instead.',
          ),
        ]
      : []),
  ];
};

/** Errors that only v1beta1 can have. */
export const validateV1beta1 = (object: KubeObject): FieldError[] => [
  ...validateDurations([
    ...['nodeDrainTimeout', 'nodeVolumeDetachTimeout', 'nodeDeletionTimeout'].map(
      (field) => `${at}.machineTemplate.${field}`,
    ),
    ...['retryPeriod', 'minHealthyPeriod'].map((field) => `${at}.remediationStrategy.${field}`),
  ])(object),
  ...validateSpecDurations(`${at}.kubeadmConfigSpec`)(object),
];
